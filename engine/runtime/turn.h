// Serialises synchronous calls. Unlike a mutex, it can be waited for with a timeout and interrupts,
// and can be released by a call that leaves its work to others.
#ifndef ENGINE_RUNTIME_TURN_H_
#define ENGINE_RUNTIME_TURN_H_

#include "engine/runtime/host.h"
#include "engine/sync/lock.h"

namespace engine {

class Turn {
 public:
  // Releases the turn at its end, if it holds it.
  class Holder {
   public:
    explicit Holder(Turn& turn) : turn_(turn) {}
    ~Holder() { Give(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    // `closed`: returns true to stop waiting; then the result is kDone without the turn.
    template <class Closed>
    Waited Take(Caller& caller, Closed&& closed) {
      Lock& lock = turn_.lock_;
      if ((has_ = lock.try_lock())) return Waited::kDone;
      const auto over = [&] { return has_ || (has_ = lock.TryLockOrAwait()) || closed(); };
      const Waited waited = caller.WaitUntil(lock.released(), over, 0.0);
      // This thread may have been woken for a turn that it does not take.
      if (!has_) lock.released().Notify(1);
      return waited;
    }

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
