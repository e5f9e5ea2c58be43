// Detects two threads inside one environment at the same time, which the pool must prevent. Used by
// test environments; run by the pool's threads.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_INSIDE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_INSIDE_H_

#include <atomic>
#include <cstdint>

namespace engine::testing {

// Calls that found another thread inside their environment, process-wide.
inline std::atomic<std::int64_t>& Overlaps() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

// One per environment; written by whoever is inside it. Relaxed: it must not
// order what the pool fails to order, or ThreadSanitizer would not see it.
using Occupied = std::atomic<bool>;

// Lives as long as a call into the environment.
class Inside {
 public:
  explicit Inside(Occupied& occupied) : occupied_(occupied) {
    if (occupied_.exchange(true, std::memory_order_relaxed)) {
      Overlaps().fetch_add(1, std::memory_order_relaxed);
    }
  }
  ~Inside() { occupied_.store(false, std::memory_order_relaxed); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Occupied& occupied_;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_INSIDE_H_
