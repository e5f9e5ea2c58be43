// Counts a call as a user of the pool while it runs. Part of the pool's implementation; on the
// stack of the calling thread.
#ifndef ENGINE_RUNTIME_POOL_CALL_H_
#define ENGINE_RUNTIME_POOL_CALL_H_

#include <cstdint>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"

namespace engine {

// While a Call exists, the environments are not freed. The constructor throws Error{kReentry} if
// this thread is already inside a call of the same pool (in an interrupt handler), and otherwise
// Error{kClosed} if the pool is closed. Declare it after the Caller, so that the host's lock is
// taken back last.
class Pool::Call {
 public:
  Call(const Pool& pool, Caller& caller) : lifetime_(pool.executor_->lifetime()), caller_(caller) {
    if (Caller::NumInterrupting(&pool) > 0) {
      throw Error(ErrorKind::kReentry,
                  "this thread is inside another call of the same pool (a signal handler runs in "
                  "it): only close() may be called from there");
    }
    if (!lifetime_.Enter()) ThrowClosed();
  }
  // The last call in a closed pool frees the environments, which may take long.
  ~Call() {
    lifetime_.Leave([this] { caller_.Unlock(); });
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Lifetime& lifetime_;
  Caller& caller_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_CALL_H_
