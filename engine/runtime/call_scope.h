// Counts a call as a user of the pool while it runs. Part of the pool's implementation; on the
// stack of the calling thread.
#ifndef ENGINE_RUNTIME_CALL_SCOPE_H_
#define ENGINE_RUNTIME_CALL_SCOPE_H_

#include <cstdint>

#include "engine/base/error.h"
#include "engine/runtime/pool.h"

namespace engine {

// While a CallScope exists, the environments are not freed. The constructor throws Error{kReentry}
// if this thread is already inside the same pool (in an interrupt handler, or in an environment),
// and otherwise Error{kClosed} if the pool is closed.
class Pool::CallScope final : public WaitContext {
 public:
  CallScope(const Pool& pool, Host& host, std::int64_t timeout_ns = kForever)
      : WaitContext(host, timeout_ns), lifetime_(pool.executor_->lifetime()), inside_(&lifetime_) {
    if (inside_.again()) {
      throw Error(
          ErrorKind::kReentry,
          "this thread is inside another call of the same pool (a signal handler, or a step "
          "of one of its environments, runs in it): only close() may be called from there");
    }
    if (!lifetime_.Enter()) ThrowClosed();
  }
  // The last call in a closed pool frees the environments, which may take long.
  ~CallScope() {
    lifetime_.Leave([this] { Unlock(); });
  }

 private:
  Lifetime& lifetime_;
  const InsidePool inside_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_CALL_SCOPE_H_
