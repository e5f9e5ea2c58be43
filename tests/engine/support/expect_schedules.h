// Expectations for tests that run a scenario under the deterministic scheduler.
#ifndef ENGINE_TESTS_SUPPORT_EXPECT_SCHEDULES_H_
#define ENGINE_TESTS_SUPPORT_EXPECT_SCHEDULES_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/engine/harness.h"
#include "tests/engine/support/schedule.h"

namespace engine::testing {

// Sanitizers make schedules ten times slower. They find memory errors, for which few schedules are
// enough: all schedules run on one real thread.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Expects that the scenario passes under every schedule within the bounds, and that all of them
// were run. With a sanitizer, runs only the first ones.
inline void ExpectEverySchedule(ExploreOptions options, const SetUp& set_up) {
  if (kSanitized) options.max_executions = 10'000;
  const ExploreResult result = ExploreAll(options, set_up);
  EXPECT_FALSE(result.failed) << result.report;
  EXPECT_TRUE(result.failed || result.complete || kSanitized)
      << "gave up after " + std::to_string(result.executions) + " schedules";
}

// Expects that the scenario passes under options.schedules random schedules.
inline void ExpectRandomSchedules(ExploreOptions options, const SetUp& set_up) {
  if (kSanitized) options.schedules = std::min<std::uint64_t>(options.schedules, 300);
  const ExploreResult result = ExploreRandom(options, set_up);
  EXPECT_FALSE(result.failed) << result.report;
  EXPECT_TRUE(result.failed || result.executions == options.schedules);
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_EXPECT_SCHEDULES_H_
