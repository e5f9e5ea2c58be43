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
  ForkGuard() : made_in_(Generation().load(std::memory_order_relaxed)) {}
  bool InChild() const { return made_in_ != Generation().load(std::memory_order_relaxed); }

 private:
  // Number of forks between this process and the first one.
  static std::atomic<std::uint32_t>& Generation() {
    static std::atomic<std::uint32_t> generation{0};
    static const int registered = pthread_atfork(
        nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
    (void)registered;
    return generation;
  }

  std::uint32_t made_in_;
};

}  // namespace engine

#endif  // ENGINE_BASE_FORK_GUARD_H_
