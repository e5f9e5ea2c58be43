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
  // implementation may call the pool: Close works, other calls throw Error{kReentry}.
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

enum class WaitResult : std::uint8_t { kDone, kInterrupted, kTimedOut };

class WaitContext {
 public:
  static constexpr std::int64_t kForever = -1;

  // `callee`: the pool that is called, so that calls of the same pool from an interrupt handler can
  // be refused; null for Close, which such a handler may call. `timeout_ns` < 0: no timeout.
  WaitContext(Host& host, const void* callee, std::int64_t timeout_ns = kForever)
      : host_(host),
        callee_(callee),
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
    outer_ = std::exchange(Interrupting(), this);
    const bool interrupted = host_.Interrupted();
    Interrupting() = outer_;
    return interrupted;
  }
  // The same for a caller that has worked since `start` (ticks), but calls Host::Interrupted() at
  // most once in interrupt_ns.
  bool InterruptedWhileWorking(std::uint64_t start) {
    const double ns = TickClock::Nanoseconds(TickClock::Now() - std::max(asked_, start));
    return ns >= static_cast<double>(kTuning.interrupt_ns) && Interrupted();
  }

  // The number of calls of `callee` on this thread that are inside Host::Interrupted(); greater
  // than 0 inside an interrupt handler.
  static std::uint32_t NumInterrupting(const void* callee) {
    std::uint32_t calls = 0;
    for (const WaitContext* call = Interrupting(); call != nullptr; call = call->outer_) {
      calls += call->callee_ == callee;
    }
    return calls;
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
  // The innermost call on this thread that is inside Host::Interrupted().
  static WaitContext*& Interrupting() {
    thread_local WaitContext* innermost = nullptr;
    return innermost;
  }

  Host& host_;
  const void* const callee_;
  const std::uint64_t deadline_;  // of the steady clock, ns
  std::uint64_t asked_ = 0;       // ticks, of the latest call of Host::Interrupted()
  WaitContext* outer_ = nullptr;  // the next outer call in Host::Interrupted()
  bool unlocked_ = false;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_HOST_H_
