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

}  // namespace tick_clock_test
}  // namespace engine
