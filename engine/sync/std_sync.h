// The synchronisation policy for production. Every concurrent primitive in engine/sync is a
// template over a policy with these members. Tests use a policy whose operations are scheduling
// points of a deterministic scheduler.
#ifndef ENGINE_SYNC_STD_SYNC_H_
#define ENGINE_SYNC_STD_SYNC_H_

#include <atomic>
#include <cstdint>

#include "engine/base/os/futex.h"
#include "engine/base/tick_clock.h"

namespace engine {

struct StdSync {
  template <class T>
  using Atomic = std::atomic<T>;

  // A plain variable whose accesses the test policy checks for data races. No cost here.
  template <class T>
  class Var {
   public:
    Var() = default;
    explicit Var(T value) : value_(value) {}
    const T& Read() const { return value_; }
    void Write(const T& value) { value_ = value; }

   private:
    T value_{};
  };

  // Sleeps while word == expected. Returns at a wake, at once if the word differs, at the timeout,
  // at a signal, or spuriously. `timeout_ns` < 0: no timeout.
  static FutexResult FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                               std::int64_t timeout_ns) {
    return engine::FutexWait(word, expected, timeout_ns);
  }
  // Wakes at most `count` sleepers.
  static void FutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count) {
    engine::FutexWake(word, count);
  }

  // Hints to the processor that the thread is in a spin loop.
  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  // The clock that bounds spins; see TickClock.
  static std::uint64_t Ticks() { return TickClock::Now(); }
  static double NanosecondsPerTick() { return TickClock::NanosecondsPerTick(); }
};

}  // namespace engine

#endif  // ENGINE_SYNC_STD_SYNC_H_
