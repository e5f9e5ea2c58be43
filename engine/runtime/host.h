// The interface to the embedding program: its lock (Python's GIL), which the pool releases before
// it waits or works for long, and its interrupts (Ctrl-C). Each call of the pool makes one
// WaitContext on the stack of its thread.
#ifndef ENGINE_RUNTIME_HOST_H_
#define ENGINE_RUNTIME_HOST_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/base/tick_clock.h"
#include "engine/runtime/policy.h"
#include "engine/sync/parker.h"

namespace engine {

class Host {
 public:
  // Unlock releases the lock that the calling thread held when it called the pool; Lock takes it
  // back.
  virtual void Unlock() = 0;
  virtual void Lock() = 0;
  // Whether the program wants the call to end, as after Ctrl-C. Called without the lock. The
  // implementation may call the pool: Close works, other calls throw Error{kReentry} (InsidePool).
  virtual bool Interrupted() = 0;

 protected:
  ~Host() = default;
};

// For threads that hold no lock, in calls that no program interrupts.
class NoHost final : public Host {
 public:
  void Unlock() override {}
  void Lock() override {}
  bool Interrupted() override { return false; }
};

// Marks that the current thread is inside a pool: in one of its calls, or as one of its workers.
// Whatever runs on the thread meanwhile, such as an interrupt handler or an environment, must not
// wait for the pool.
class InsidePool {
 public:
  // `pool`: any address that stands for the pool.
  explicit InsidePool(const void* pool) : innermost_(Innermost()), pool_(pool), outer_(innermost_) {
    innermost_ = this;
  }
  ~InsidePool() { innermost_ = outer_; }
  InsidePool(const InsidePool&) = delete;
  InsidePool& operator=(const InsidePool&) = delete;

  // Whether the thread was inside the same pool already.
  bool again() const { return Count(pool_, outer_) > 0; }
  // How many times the current thread is inside a pool.
  static std::uint32_t Count(const void* pool) { return Count(pool, Innermost()); }

 private:
  static InsidePool*& Innermost() {
    thread_local InsidePool* innermost = nullptr;
    return innermost;
  }
  static std::uint32_t Count(const void* pool, const InsidePool* inside) {
    std::uint32_t count = 0;
    for (; inside != nullptr; inside = inside->outer_) count += inside->pool_ == pool;
    return count;
  }

  InsidePool*& innermost_;  // of this thread
  const void* const pool_;
  InsidePool* const outer_;
};

enum class WaitResult : std::uint8_t { kDone, kInterrupted, kTimedOut };

class WaitContext {
 public:
  static constexpr std::int64_t kForever = -1;

  // `timeout_ns` < 0: no timeout.
  explicit WaitContext(Host& host, std::int64_t timeout_ns = kForever)
      : host_(host),
        deadline_(timeout_ns < 0
                      ? std::numeric_limits<std::uint64_t>::max()
                      : TickClock::SteadyNanoseconds() + static_cast<std::uint64_t>(timeout_ns)) {}
  ~WaitContext() {
    if (unlocked_) host_.Lock();
  }
  WaitContext(const WaitContext&) = delete;
  WaitContext& operator=(const WaitContext&) = delete;

  // Releases the host's lock until the end of the call.
  void Unlock() {
    if (unlocked_) return;
    unlocked_ = true;
    host_.Unlock();
  }
  // Releases the host's lock and returns whether the host wants the call to end.
  bool Interrupted() {
    Unlock();
    asked_ = TickClock::Now();
    return host_.Interrupted();
  }
  // The same for a caller that has worked since `start` (ticks), but calls Host::Interrupted() at
  // most once in interrupt_ns.
  bool InterruptedWhileWorking(std::uint64_t start) {
    const double ns = TickClock::Nanoseconds(TickClock::Now() - std::max(asked_, start));
    return ns >= static_cast<double>(kTuning.interrupt_ns) && Interrupted();
  }

  bool has_deadline() const { return deadline_ != std::numeric_limits<std::uint64_t>::max(); }
  // Time left until the deadline, in ns, at least 0.
  std::int64_t LeftNs() const {
    if (!has_deadline()) return std::numeric_limits<std::int64_t>::max();
    const std::uint64_t now = TickClock::SteadyNanoseconds();
    return now >= deadline_ ? 0 : static_cast<std::int64_t>(deadline_ - now);
  }

  // For a loop of works or waits that began at `start` (ticks). Returns kTimedOut or kInterrupted
  // if the call must end, otherwise kDone.
  WaitResult CheckLimits(std::uint64_t start) {
    if (LeftNs() == 0) return WaitResult::kTimedOut;
    return InterruptedWhileWorking(start) ? WaitResult::kInterrupted : WaitResult::kDone;
  }

  // Waits until ready(), the deadline or an interrupt: spins for `spin_ns`, then sleeps.
  // Requires: as Parker::SleepUnless. The host's lock is released before the first wait.
  template <class Sync, class Ready>
  WaitResult WaitUntil(Parker<Sync>& parker, Ready&& ready, double spin_ns) {
    if (ready()) return WaitResult::kDone;
    Unlock();
    const double budget = std::min(spin_ns, static_cast<double>(LeftNs()));
    if (Parker<Sync>::Spin(ready, budget)) return WaitResult::kDone;
    const std::uint64_t start = TickClock::Now();
    while (!ready()) {
      const std::int64_t left = LeftNs();
      if (left == 0) return WaitResult::kTimedOut;
      const FutexResult woken = parker.SleepUnless(ready, std::min(kTuning.interrupt_ns, left));
      // After a signal or a timeout, calls the host even if ready() is true by now. Otherwise this
      // call could return a result while the exception of a signal handler is set. If the call is
      // interrupted, the result stays for the next call. After a Notify, calls the host only if
      // ready() is false, because this thread may be woken often for results that other threads
      // take.
      if (woken == FutexResult::kWoken ? !ready() && InterruptedWhileWorking(start)
                                       : Interrupted()) {
        return WaitResult::kInterrupted;
      }
    }
    return WaitResult::kDone;
  }

 private:
  Host& host_;
  const std::uint64_t deadline_;  // of the steady clock, ns
  std::uint64_t asked_ = 0;       // ticks, of the latest call of Host::Interrupted()
  bool unlocked_ = false;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_HOST_H_
