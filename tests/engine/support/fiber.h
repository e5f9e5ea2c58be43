// Stacks to switch between on one real thread. The scheduler uses them as virtual threads. Every
// switch is reported to AddressSanitizer and ThreadSanitizer.
#ifndef ENGINE_TESTS_SUPPORT_FIBER_H_
#define ENGINE_TESTS_SUPPORT_FIBER_H_

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace engine::testing {

class Fiber {
 public:
  // A fiber for the calling thread and its stack.
  Fiber();
  // Runs `entry` at the first switch to this fiber. `entry` must never return.
  explicit Fiber(std::function<void()> entry);
  // A suspended fiber may be destroyed. Its stack is freed, but no object on it is destroyed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Suspends `from`, which must be the running fiber, and continues `to`.
  static void Switch(Fiber& from, Fiber& to);

 private:
  static void Enter();
  void Arrived();

  ucontext_t context_{};
  std::function<void()> entry_;
  std::unique_ptr<std::byte[]> stack_;
  const void* stack_bottom_ = nullptr;
  [[maybe_unused]] std::size_t stack_bytes_ = 0;
  [[maybe_unused]] void* sanitizer_state_ = nullptr;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_FIBER_H_
