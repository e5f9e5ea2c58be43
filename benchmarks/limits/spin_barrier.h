// A barrier for threads that have a processor each.
#ifndef ENGINE_BENCHMARKS_LIMITS_SPIN_BARRIER_H_
#define ENGINE_BENCHMARKS_LIMITS_SPIN_BARRIER_H_

#include <atomic>
#include <cstddef>

namespace limits {

// Lets threads wait for each other without a system call.
class SpinBarrier {
 public:
  explicit SpinBarrier(std::size_t num_threads) : num_threads_(num_threads) {}

  void Wait() {
    const std::size_t round = round_.load(std::memory_order_relaxed);
    if (waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == num_threads_) {
      waiting_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    // Acquire pairs with the release above.
    while (round_.load(std::memory_order_acquire) == round) {
    }
  }

 private:
  const std::size_t num_threads_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::size_t> round_{0};
};

}  // namespace limits

#endif  // ENGINE_BENCHMARKS_LIMITS_SPIN_BARRIER_H_
