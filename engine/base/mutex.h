// std::mutex and std::lock_guard, with the attributes of thread_annotations.h.
#ifndef ENGINE_BASE_MUTEX_H_
#define ENGINE_BASE_MUTEX_H_

#include <mutex>

#include "engine/base/thread_annotations.h"

namespace engine {

class ENGINE_LOCK_TYPE Mutex {
 public:
  void lock() ENGINE_ACQUIRES() { mutex_.lock(); }
  bool try_lock() ENGINE_TRY_ACQUIRES(true) { return mutex_.try_lock(); }
  void unlock() ENGINE_RELEASES() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

template <class Lockable>
class ENGINE_SCOPED_LOCK_TYPE ScopedLock {
 public:
  explicit ScopedLock(Lockable& lock) ENGINE_ACQUIRES(lock) : lock_(lock) { lock_.lock(); }
  // Takes over a lock that this thread holds.
  ScopedLock(Lockable& lock, std::adopt_lock_t /*adopt*/) ENGINE_REQUIRES(lock) : lock_(lock) {}
  ~ScopedLock() ENGINE_RELEASES() { lock_.unlock(); }
  ScopedLock(const ScopedLock&) = delete;
  ScopedLock& operator=(const ScopedLock&) = delete;

 private:
  Lockable& lock_;
};

}  // namespace engine

#endif  // ENGINE_BASE_MUTEX_H_
