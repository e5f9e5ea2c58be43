// Marks a call inside a pool; part of the pool's implementation. On the stack of the calling thread.
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
  explicit Call(const Pool& pool) : pool_(pool), outer_(Innermost()) {
    if (NumOnThisThread(pool) > 0) {
      throw Error(ErrorKind::kReentry,
                  "this thread is inside another call of the same pool (a signal handler ran in "
                  "it): only close() may be called from there");
    }
    if (!pool.executor_->lifetime().Enter()) {
      throw Error(ErrorKind::kClosed, "the pool is closed");
    }
    Innermost() = this;
  }
  ~Call() {
    Innermost() = outer_;
    pool_.executor_->lifetime().Leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static std::uint32_t NumOnThisThread(const Pool& pool) {
    std::uint32_t calls = 0;
    for (const Call* call = Innermost(); call != nullptr; call = call->outer_) {
      calls += &call->pool_ == &pool;
    }
    return calls;
  }

 private:
  static const Call*& Innermost() {
    thread_local const Call* innermost = nullptr;
    return innermost;
  }

  const Pool& pool_;
  const Call* const outer_;  // of the same thread, of any pool
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_CALL_H_
