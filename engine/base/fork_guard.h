// Detects fork(): a child has a copy of a pool's memory but none of its threads, so a pool may be
// used only in the process that made it.
#ifndef ENGINE_BASE_FORK_GUARD_H_
#define ENGINE_BASE_FORK_GUARD_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace engine {

class ForkGuard {
 public:
  ForkGuard() {
    static const int registered = pthread_atfork(
        nullptr, nullptr, [] { num_forks_.fetch_add(1, std::memory_order_relaxed); });
    (void)registered;
    BelongHere();
  }
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  bool InChild() const {
    return forks_before_.load(std::memory_order_relaxed) !=
           num_forks_.load(std::memory_order_relaxed);
  }
  // As if the guard was made in this process.
  void BelongHere() {
    forks_before_.store(num_forks_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

 private:
  // The number of forks that led from the process that made the first guard to this one.
  static inline std::atomic<std::uint32_t> num_forks_{0};

  std::atomic<std::uint32_t> forks_before_{0};  // num_forks_ when this guard was made
};

}  // namespace engine

#endif  // ENGINE_BASE_FORK_GUARD_H_
