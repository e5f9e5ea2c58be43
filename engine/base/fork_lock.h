// Locks of the process, not of an object, at fork(). Another thread may hold one at that moment; it
// does not exist in the child, where the lock would never be released.
#ifndef ENGINE_BASE_FORK_LOCK_H_
#define ENGINE_BASE_FORK_LOCK_H_

#include <pthread.h>

namespace engine {

// Acquires the lock that `kLock` returns before each fork, and releases it in both processes. So
// the child finds it free, and what it guards complete. Only the first call has an effect.
// Requires: a thread that holds the lock does not fork, and acquires no other such lock.
template <auto kLock>
void HoldDuringFork() {
  static const int registered =
      pthread_atfork([] { kLock().lock(); }, [] { kLock().unlock(); }, [] { kLock().unlock(); });
  (void)registered;
}

}  // namespace engine

#endif  // ENGINE_BASE_FORK_LOCK_H_
