// Marks a call inside a pool; part of the pool's implementation. On the stack of the calling
// thread.
#ifndef ENGINE_RUNTIME_POOL_CALL_H_
#define ENGINE_RUNTIME_POOL_CALL_H_

#include <cstdint>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"

namespace engine {

// While one lives the environments are not freed. Throws Error{kReentry} where this thread is
// inside a call of the same pool already (it runs an interrupt's handler), else Error{kClosed}
// where the pool is closed. Declared after the Caller: the host's lock is taken back last.
class Pool::Call {
 public:
  explicit Call(const Pool& pool) : lifetime_(pool.executor_->lifetime()) {
    if (Caller::NumInterrupting(&pool) > 0) {
      throw Error(ErrorKind::kReentry,
                  "this thread is inside another call of the same pool (a signal handler runs in "
                  "it): only close() may be called from there");
    }
    if (!lifetime_.Enter()) throw Error(ErrorKind::kClosed, "the pool is closed");
  }
  ~Call() { lifetime_.Leave(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Lifetime& lifetime_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_CALL_H_
