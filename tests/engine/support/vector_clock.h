// Vector clocks of the deterministic scheduler's virtual threads: the happens-before relation that
// the declared memory orders give, and the check of plain variables for races. Only the scheduler
// uses them, on one real thread.
#ifndef ENGINE_TESTS_SUPPORT_VECTOR_CLOCK_H_
#define ENGINE_TESTS_SUPPORT_VECTOR_CLOCK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>

namespace engine::testing {

// Thread 0 runs the set-up and the final checks of a scenario.
inline constexpr std::size_t kMaxThreads = 8;

// Entry t: the newest epoch of thread t that happened before. Epochs start at 1, so 0 means that no
// operation of thread t happened before.
struct VectorClock {
  std::array<std::uint32_t, kMaxThreads> at{};

  void Join(const VectorClock& other) {
    for (std::size_t t = 0; t < kMaxThreads; ++t) at[t] = std::max(at[t], other.at[t]);
  }
  bool Covers(std::size_t thread, std::uint32_t epoch) const { return epoch <= at[thread]; }
};

// The accesses to one plain variable that a later access may race with.
class VarModel {
 public:
  struct Access {
    std::uint32_t epoch = 0;  // 0: none
    std::source_location where;
  };

  // Each method returns the earlier access that races with this one, or null. Sets `other` to the
  // thread of the earlier access.
  const Access* OnRead(std::size_t thread, const VectorClock& clock,
                       const std::source_location& where, std::size_t* other) {
    reads_[thread] = {clock.at[thread], where};
    *other = writer_;
    return clock.Covers(writer_, write_.epoch) ? nullptr : &write_;
  }

  const Access* OnWrite(std::size_t thread, const VectorClock& clock,
                        const std::source_location& where, std::size_t* other) {
    *other = writer_;
    if (!clock.Covers(writer_, write_.epoch)) return &write_;
    for (std::size_t t = 0; t < kMaxThreads; ++t) {
      *other = t;
      if (!clock.Covers(t, reads_[t].epoch)) return &reads_[t];
    }
    writer_ = thread;
    write_ = {clock.at[thread], where};
    return nullptr;
  }

 private:
  std::size_t writer_ = 0;
  Access write_;
  std::array<Access, kMaxThreads> reads_{};
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_VECTOR_CLOCK_H_
