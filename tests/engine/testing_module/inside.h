// Detects that two threads are inside one environment at the same time, which the pool must
// prevent. Test environments use it on the pool's threads.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_INSIDE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_INSIDE_H_

#include <atomic>
#include <cstdint>

namespace engine::testing {

// The number of calls that found another thread inside their environment, process-wide.
inline std::atomic<std::int64_t>& Overlaps() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

// One per environment. The thread inside the environment sets it. Relaxed operations, because
// stronger ones would hide a missing synchronisation of the pool from ThreadSanitizer.
using Occupied = std::atomic<bool>;

// Exists for the duration of a call into the environment.
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
