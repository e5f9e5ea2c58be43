// A lock that the synchronous calls of a pool hold, one at a time. A call has the turn while it
// holds the lock. Unlike with a mutex, a thread that waits for it stops at a timeout or an
// interrupt. A call that was interrupted releases it while workers may still run the call's job;
// the next synchronous call first finishes that job.
#ifndef ENGINE_RUNTIME_TURN_H_
#define ENGINE_RUNTIME_TURN_H_

#include "engine/runtime/host.h"
#include "engine/sync/lock.h"

namespace engine {

class Turn {
 public:
  // The turn of one call. The destructor releases the turn if the call holds it.
  class Holder {
   public:
    explicit Holder(Turn& turn) : turn_(turn) {}
    ~Holder() { Give(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    // Takes the turn. Stops waiting when `closed` returns true; the result is then kDone without
    // the turn.
    template <class Closed>
    WaitResult Take(Caller& caller, Closed&& closed) {
      Lock& lock = turn_.lock_;
      if ((has_ = lock.try_lock())) return WaitResult::kDone;
      const auto over = [&] { return has_ || (has_ = lock.TryLockOrAwait()) || closed(); };
      const WaitResult waited = caller.WaitUntil(lock.released(), over, 0.0);
      // The unlock may have woken this thread, which does not take the turn, so another one must be
      // woken.
      if (!has_) lock.released().Notify(1);
      return waited;
    }

    bool has() const { return has_; }

    void Give() {
      if (has_) turn_.lock_.unlock();
      has_ = false;
    }

   private:
    Turn& turn_;
    bool has_ = false;
  };

  // Wakes all threads that wait for the turn: called when the pool is closed.
  void WakeAll() { lock_.released().Notify(UINT32_MAX); }

 private:
  Lock lock_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_TURN_H_
