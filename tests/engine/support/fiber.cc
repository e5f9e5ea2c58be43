#include "tests/engine/support/fiber.h"

#include <cstdlib>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace engine::testing {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

// The two fibers of the current switch. They are variables because makecontext passes no pointers.
thread_local Fiber* switching_from = nullptr;
thread_local Fiber* switching_to = nullptr;

}  // namespace

Fiber::Fiber() {
#if defined(__SANITIZE_THREAD__)
  sanitizer_state_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::function<void()> entry)
    : entry_(std::move(entry)), stack_(new std::byte[kStackBytes]), stack_bytes_(kStackBytes) {
  stack_bottom_ = stack_.get();
  if (getcontext(&context_) != 0) std::abort();
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStackBytes;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::Enter, 0);
#if defined(__SANITIZE_THREAD__)
  sanitizer_state_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  if (entry_) __tsan_destroy_fiber(sanitizer_state_);
#endif
}

void Fiber::Switch(Fiber& from, Fiber& to) {
  switching_from = &from;
  switching_to = &to;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.sanitizer_state_, to.stack_bottom_, to.stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.sanitizer_state_, 0);
#endif
  if (swapcontext(&from.context_, &to.context_) != 0) std::abort();
  from.Arrived();
}

void Fiber::Enter() {
  Fiber* self = switching_to;
  self->Arrived();
  self->entry_();
  std::abort();
}

void Fiber::Arrived() {
#if defined(__SANITIZE_ADDRESS__)
  // Stores the bounds of the stack that was left. Only the first fiber needs this: it uses the
  // thread's own stack, whose bounds it does not have yet.
  __sanitizer_finish_switch_fiber(sanitizer_state_, &switching_from->stack_bottom_,
                                  &switching_from->stack_bytes_);
#endif
}

}  // namespace engine::testing
