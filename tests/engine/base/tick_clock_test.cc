#include "engine/base/tick_clock.h"

#include "tests/engine/harness.h"

namespace engine {
namespace tick_clock_test {

TEST(TickClock, TicksAndNanosecondsAreEachOthersInverse) {
  for (const double ns : {0.0, 1e3, 20e3, 1e6, 1e9}) {
    // A tick lasts between 0.2 ns and 1 ns.
    EXPECT_NEAR(TickClock::Nanoseconds(TickClock::Ticks(ns)), ns, 1.0 + 1e-9 * ns);
  }
}

// Three ticks per nanosecond. Each reading takes 20 ns; before reading number `preempted`, the
// thread loses the processor for 4 ms.
struct PreemptedClocks {
  static inline int readings = 0;
  static inline int preempted = 0;
  static inline std::uint64_t now_ns = 0;

  static std::uint64_t Nanoseconds() {
    if (readings++ == preempted) now_ns += 4'000'000;
    return now_ns += 20;
  }
  static std::uint64_t Ticks() { return 3 * Nanoseconds(); }
};

TEST(TickClock, APreemptionDuringTheCalibrationDoesNotSkewTheRatio) {
  for (int preempted = 0; preempted < 100; ++preempted) {
    PreemptedClocks::readings = 0;
    PreemptedClocks::preempted = preempted;
    const TickClock::Moment<PreemptedClocks> start;
    EXPECT_NEAR(start.Calibrate(), 1.0 / 3.0, 1e-3) << "reading " << preempted;
  }
}

}  // namespace tick_clock_test
}  // namespace engine
