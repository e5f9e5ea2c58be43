// Stacks to switch between on one real thread: the scheduler's virtual
// threads. AddressSanitizer and ThreadSanitizer are told of every switch.
#ifndef ENGINE_TESTS_SUPPORT_FIBER_H_
#define ENGINE_TESTS_SUPPORT_FIBER_H_

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace engine::testing {

class Fiber {
 public:
  // Stands for the stack of the calling thread.
  Fiber();
  // Runs `entry`, which must never return, at the first switch to it.
  explicit Fiber(std::function<void()> entry);
  // A fiber may be destroyed while suspended: its stack is dropped and nothing
  // on it is destroyed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Leaves `from`, which is running, and continues `to`.
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
