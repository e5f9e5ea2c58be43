// A lock of one word that makes no system call when uncontended. Unlike with std::mutex, a wait for
// it can end at a timeout or an interrupt, if the thread waits on released(). Not recursive, not
// fair.
#ifndef ENGINE_SYNC_LOCK_H_
#define ENGINE_SYNC_LOCK_H_

#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/base/thread_annotations.h"
#include "engine/sync/parker.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync>
class ENGINE_LOCK_TYPE BasicLock {
 public:
  // Memory ordering: acquire pairs with the release in unlock.
  bool try_lock() ENGINE_TRY_ACQUIRES(true) {
    std::uint32_t free = kFree;
    return state_.compare_exchange_strong(free, kTaken, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  // Like try_lock, but if it fails, the next unlock notifies released(). A woken thread that stops
  // waiting without taking the lock must notify another waiting thread.
  // Memory ordering: before a thread sleeps, it counts itself as a sleeper of released() and then
  // calls this. Release makes the count visible to the thread that unlocks, whose exchange acquires
  // it.
  bool TryLockOrAwait() ENGINE_TRY_ACQUIRES(true) {
    return state_.exchange(kAwaited, std::memory_order_acq_rel) == kFree;
  }

  void lock() ENGINE_ACQUIRES() {
    if (try_lock()) return;
    bool locked = false;
    released_.Wait([&] { return locked || (locked = TryLockOrAwait()); }, 0.0);
  }

  void unlock() ENGINE_RELEASES() {
    if (state_.exchange(kFree, std::memory_order_acq_rel) == kAwaited) released_.Notify(1);
  }

  // For code that runs with the lock held, where Clang cannot see it.
  void AssertHeld() const ENGINE_ASSERTS() {}

  Parker<Sync>& released() { return released_; }

 private:
  // kTaken: no thread waits. A thread that has waited sets kAwaited when it gets the lock, because
  // other threads may still wait.
  enum State : std::uint32_t { kFree, kTaken, kAwaited };

  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> state_{kFree};
  Parker<Sync> released_;
};

using Lock = BasicLock<StdSync>;

static_assert(kFillsCacheLines<Lock, 3>);

}  // namespace engine

#endif  // ENGINE_SYNC_LOCK_H_
