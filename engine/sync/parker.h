// Waiting for a condition: spin for a bounded time, then sleep in the kernel. Workers wait for work
// on one Parker, and callers wait for results on another. Any number of threads may wait and notify
// at the same time.
#ifndef ENGINE_SYNC_PARKER_H_
#define ENGINE_SYNC_PARKER_H_

#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/base/os/futex.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class Parker {
 public:
  Parker() = default;
  // For tests, which start the sequence close to wrap-around.
  explicit Parker(std::uint32_t first_sequence) : sequence_(first_sequence) {}
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  // Spins until ready() or until `spin_ns` have passed; returns ready().
  // Requires: ready() reads shared state with acquire loads and is cheap.
  template <class Ready>
  static bool Spin(Ready&& ready, double spin_ns) {
    if (ready()) return true;
    if (spin_ns <= 0.0) return false;
    // The clock is read only at intervals, because a reading costs as much as a few pauses.
    constexpr int kPausesPerClockRead = 16;
    const std::uint64_t start = Sync::Ticks();
    const auto budget = static_cast<std::uint64_t>(spin_ns / Sync::NanosecondsPerTick());
    do {
      for (int i = 0; i < kPausesPerClockRead; ++i) {
        Sync::Pause();
        if (ready()) return true;
      }
    } while (Sync::Ticks() - start < budget);
    return false;
  }

  // Sleeps once unless ready(). Returns at a Notify, at the timeout (`timeout_ns` < 0: no timeout),
  // at a signal or spuriously, so the caller must check its condition in a loop.
  // Requires: the thread that makes ready() true does so before it calls Notify.
  // Guarantees: no wake-up is lost. If ready() was false here, the Notify that follows the change
  //   counts this thread as a sleeper and changes sequence_.
  // Memory ordering: the read-modify-writes of sleepers_ here and in Notify are totally ordered. If
  //   the one in Notify comes later, it counts this thread. If it comes first, the one here
  //   acquires what it released, so ready() sees the change. A pair of fences would do the same,
  //   but ThreadSanitizer does not support fences. The acquire at the end pairs with the release of
  //   the same counter in Notify: a woken thread sees what the waking thread wrote before Notify.
  template <class Ready>
  FutexResult SleepUnless(Ready&& ready, std::int64_t timeout_ns) {
    const std::uint32_t key = sequence_.load(std::memory_order_acquire);
    sleepers_.fetch_add(1, std::memory_order_acq_rel);
    FutexResult result = FutexResult::kWoken;
    if (!ready()) result = Sync::FutexWait(sequence_, key, timeout_ns);
    sleepers_.fetch_sub(1, std::memory_order_acquire);
    return result;
  }

  // Spins, then sleeps, until ready(). Neither a timeout nor a signal ends the wait.
  template <class Ready>
  void Wait(Ready&& ready, double spin_ns) {
    if (Spin(ready, spin_ns)) return;
    while (!ready()) SleepUnless(ready, -1);
  }

  // Wakes up to `count` sleepers; costs one read-modify-write if nobody sleeps.
  // Requires: the condition was made true before the call, with release or a stronger order.
  void Notify(std::uint32_t count) {
    if (CountSleepers() == 0) return;
    sequence_.fetch_add(1, std::memory_order_release);  // pairs with the load in SleepUnless
    Sync::FutexWake(sequence_, count);
  }

  // How many threads are in SleepUnless.
  // Guarantees: a thread that is not counted here and enters SleepUnless later sees there what this
  //   thread wrote before the call.
  // Memory ordering: a read-modify-write; see SleepUnless.
  std::uint32_t CountSleepers() { return sleepers_.fetch_add(0, std::memory_order_acq_rel); }

  // Sets the number of sleepers to 0, because a process that slept here has died.
  // Requires: no thread is in SleepUnless.
  void ForgetSleepers() { sleepers_.store(0, std::memory_order_release); }

  // For heuristics; the number may be outdated when the call returns.
  std::uint32_t sleepers() const { return sleepers_.load(std::memory_order_relaxed); }

 private:
  // The word that sleepers sleep on. Written by notifiers; wraps around.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> sequence_{0};
  // Written by every thread that goes to sleep or wakes.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> sleepers_{0};
};

static_assert(kFillsCacheLines<Parker<StdSync>, 2>);

}  // namespace engine

#endif  // ENGINE_SYNC_PARKER_H_
