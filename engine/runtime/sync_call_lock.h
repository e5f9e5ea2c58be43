// The lock that the synchronous calls of a pool hold, one at a time. Unlike with a mutex, a thread
// that waits for it stops at a timeout or an interrupt. A call that was interrupted releases it
// while workers may still run the call's job; the next synchronous call first finishes that job.
#ifndef ENGINE_RUNTIME_SYNC_CALL_LOCK_H_
#define ENGINE_RUNTIME_SYNC_CALL_LOCK_H_

#include "engine/runtime/host.h"
#include "engine/sync/lock.h"

namespace engine {

class SyncCallLock {
 public:
  // One call, which may hold the lock. The destructor releases it.
  class Holder {
   public:
    explicit Holder(SyncCallLock& lock) : lock_(lock.lock_) {}
    ~Holder() { Release(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    // Stops waiting when `closed` returns true; the result is then kDone without the lock.
    template <class Closed>
    WaitResult Acquire(WaitContext& caller, Closed&& closed) ENGINE_NOT_CHECKED {
      if ((held_ = lock_.try_lock())) return WaitResult::kDone;
      const auto over = [&] { return held_ || (held_ = lock_.TryLockOrAwait()) || closed(); };
      const WaitResult waited = caller.WaitUntil(lock_.released(), over, 0.0);
      // The unlock may have woken this thread, which does not take the lock, so another one must be
      // woken.
      if (!held_) lock_.released().Notify(1);
      return waited;
    }
    bool held() const { return held_; }

    void Release() ENGINE_NOT_CHECKED {
      if (held_) lock_.unlock();
      held_ = false;
    }

   private:
    Lock& lock_;
    bool held_ = false;
  };

  // Wakes all threads that wait for the lock: called when the pool is closed.
  void WakeAll() { lock_.released().Notify(UINT32_MAX); }

 private:
  Lock lock_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_SYNC_CALL_LOCK_H_
