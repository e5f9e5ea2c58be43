// Locks of the process, not of an object, at fork(). Another thread may hold one at that moment; it
// does not exist in the child, where the lock would never be released.
#ifndef ENGINE_BASE_FORK_LOCK_H_
#define ENGINE_BASE_FORK_LOCK_H_

#include <pthread.h>

#include "engine/base/thread_annotations.h"

namespace engine {

// Not checked: the lock is acquired in one function and released in another one.
template <auto kLock>
struct ForkHandlers {
  static void Acquire() ENGINE_NOT_CHECKED { kLock().lock(); }
  static void Release() ENGINE_NOT_CHECKED { kLock().unlock(); }
};

// Acquires the lock that `kLock` returns before each fork, and releases it in both processes. So
// the child finds it free, and what it guards complete. Only the first call has an effect.
// Requires: a thread that holds the lock does not fork, and acquires no other such lock.
template <auto kLock>
void HoldDuringFork() {
  using Handlers = ForkHandlers<kLock>;
  static const int registered =
      pthread_atfork(&Handlers::Acquire, &Handlers::Release, &Handlers::Release);
  (void)registered;
}

}  // namespace engine

#endif  // ENGINE_BASE_FORK_LOCK_H_
