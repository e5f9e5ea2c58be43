// What the embedding program provides to a call of the pool: its lock (Python's GIL), which the
// pool releases before it waits or works for long, and its interrupts (Ctrl-C). Each call makes one
// Caller on the stack of its thread.
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
  // Release and take back the lock that the calling thread held when it called the pool.
  virtual void Unlock() = 0;
  virtual void Lock() = 0;
  // Whether the program wants the call to end, as after Ctrl-C. Called without the lock. May call
  // the pool: Close works, other calls throw Error{kReentry}.
  virtual bool Interrupted() = 0;

 protected:
  ~Host() = default;
};

// For calls that no program interrupts, by a thread that holds no lock.
class NoHost final : public Host {
 public:
  void Unlock() override {}
  void Lock() override {}
  bool Interrupted() override { return false; }
};

enum class Waited : std::uint8_t { kDone, kInterrupted, kTimedOut };

class Caller {
 public:
  static constexpr std::int64_t kForever = -1;

  // `callee`: the pool that is called; null for a call without this restriction (Close).
  Caller(Host& host, const void* callee, std::int64_t timeout_ns = kForever)
      : host_(host),
        callee_(callee),
        deadline_(timeout_ns < 0
                      ? std::numeric_limits<std::uint64_t>::max()
                      : TickClock::SteadyNanoseconds() + static_cast<std::uint64_t>(timeout_ns)) {}
  ~Caller() {
    if (unlocked_) host_.Lock();
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // From here to the end of the call the host's lock is released.
  void Unlock() {
    if (unlocked_) return;
    unlocked_ = true;
    host_.Unlock();
  }
  bool Interrupted() {
    Unlock();
    asked_ = TickClock::Now();
    outer_ = std::exchange(Interrupting(), this);
    const bool interrupted = host_.Interrupted();
    Interrupting() = outer_;
    return interrupted;
  }
  // For a caller that has worked since `start` (ticks): asks the host at intervals.
  bool InterruptedWhileWorking(std::uint64_t start) {
    const double ns = TickClock::Nanoseconds(TickClock::Now() - std::max(asked_, start));
    return ns >= static_cast<double>(kTuning.interrupt_ns) && Interrupted();
  }

  // The number of calls of `callee` on this thread that are asking their host for interrupts;
  // greater than 0 inside an interrupt's handler.
  static std::uint32_t NumInterrupting(const void* callee) {
    std::uint32_t calls = 0;
    for (const Caller* call = Interrupting(); call != nullptr; call = call->outer_) {
      calls += call->callee_ == callee;
    }
    return calls;
  }

  bool has_deadline() const { return deadline_ != std::numeric_limits<std::uint64_t>::max(); }
  // Time left until the deadline, ns, at least 0.
  std::int64_t LeftNs() const {
    if (!has_deadline()) return std::numeric_limits<std::int64_t>::max();
    const std::uint64_t now = TickClock::SteadyNanoseconds();
    return now >= deadline_ ? 0 : static_cast<std::int64_t>(deadline_ - now);
  }

  // Call it between two waits of a loop that began at `start` (ticks), in which other threads may
  // repeatedly get what this one waits for. kDone: wait again.
  Waited MayWaitAgain(std::uint64_t start) {
    if (LeftNs() == 0) return Waited::kTimedOut;
    return InterruptedWhileWorking(start) ? Waited::kInterrupted : Waited::kDone;
  }

  // Spins for `spin_ns`, then sleeps, until ready(), the deadline or an interrupt.
  // Requires: as Parker::SleepUnless. The host's lock is given up before the first wait.
  template <class Sync, class Ready>
  Waited WaitUntil(Parker<Sync>& parker, Ready&& ready, double spin_ns) {
    if (ready()) return Waited::kDone;
    Unlock();
    const double budget = std::min(spin_ns, static_cast<double>(LeftNs()));
    if (Parker<Sync>::Spin(ready, budget)) return Waited::kDone;
    const std::uint64_t start = TickClock::Now();
    while (!ready()) {
      const std::int64_t left = LeftNs();
      if (left == 0) return Waited::kTimedOut;
      const FutexResult woken = parker.SleepUnless(ready, std::min(kTuning.interrupt_ns, left));
      // After an interrupt or a timeout of the sleep, asks the host even if ready() is true by now:
      // a call that returns a result must not leave the exception of a signal handler set. The
      // result stays for the next call. After a wake-up, asks only if ready() is still false, as
      // for a thread that is woken again and again for results that others take.
      if (woken == FutexResult::kWoken ? !ready() && InterruptedWhileWorking(start)
                                       : Interrupted()) {
        return Waited::kInterrupted;
      }
    }
    return Waited::kDone;
  }

 private:
  // This thread's innermost call that is asking.
  static Caller*& Interrupting() {
    thread_local Caller* innermost = nullptr;
    return innermost;
  }

  Host& host_;
  const void* const callee_;
  const std::uint64_t deadline_;  // of the steady clock, ns
  std::uint64_t asked_ = 0;       // ticks, when the host was last asked for interrupts
  Caller* outer_ = nullptr;       // the next outer call that is asking
  bool unlocked_ = false;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_HOST_H_
