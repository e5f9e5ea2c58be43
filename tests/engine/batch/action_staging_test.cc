// Staged actions: the dtype of the action that an environment reads, and rejected actions.
#include "engine/batch/action_staging.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace action_staging_test {

constexpr std::uint32_t kEnvs = 4;

EnvSpec SpecOf(OutOfBounds out_of_bounds) {
  EnvSpec spec;
  spec.observation = SpaceSpec::Discrete(2);
  spec.action = SpaceSpec::Box<float>({2}, {-1.0F, -2.0F}, {1.0F, 2.0F});
  spec.action_out_of_bounds = out_of_bounds;
  return spec;
}

template <class T>
void Stage(ActionStaging& staging, const std::vector<T>& values,
           const std::vector<std::uint32_t>& ids = {}) {
  const std::int64_t rows = static_cast<std::int64_t>(values.size()) / 2;
  const std::int64_t shape[] = {rows, 2};
  staging.Stage({.data = reinterpret_cast<const std::byte*>(values.data()),
                 .dtype = DTypeOf<T>(),
                 .shape = shape,
                 .num_dims = 2},
                ids.empty() ? nullptr : ids.data(), static_cast<std::uint32_t>(rows));
}

// The second element of the action of `env`, and whether the action is staged in float64.
struct Staged {
  double value;
  bool is_float64;
  bool operator==(const Staged&) const = default;
};
Staged Of(const ActionStaging& staging, std::uint32_t env) {
  const ActionSlots slots = staging.slots();
  if (slots.is_float64 != nullptr && slots.is_float64[env] != 0) {
    return {slots.Float64Of(env).Data<double>()[1], true};
  }
  return {static_cast<double>(slots.Of(env).Data<float>()[1]), false};
}

TEST(ActionStaging, KeepsFloat64ForTheEnvironmentsThatItWasGivenFor) {
  ActionStaging staging(SpecOf(OutOfBounds::kEnvClips), kEnvs, true);
  Stage<double>(staging, {0, 0.1, 0, 0.2, 0, 0.3, 0, 1e300});
  EXPECT_TRUE((Of(staging, 0) == Staged{0.1, true}));
  EXPECT_TRUE((Of(staging, 3) == Staged{1e300, true}));
  Stage<float>(staging, {0, 0.5F, 0, 0.25F}, {2, 0});
  EXPECT_TRUE((Of(staging, 2) == Staged{0.5, false}));
  EXPECT_TRUE((Of(staging, 0) == Staged{0.25, false}));
  EXPECT_TRUE((Of(staging, 1) == Staged{0.2, true}));
  EXPECT_TRUE((Of(staging, 3) == Staged{1e300, true}));
  Stage<std::int16_t>(staging, {0, -1}, {0});
  EXPECT_TRUE((Of(staging, 0) == Staged{-1.0, true}));
  Stage<float>(staging, {0, 1, 0, 2, 0, 3, 0, 4});
  for (std::uint32_t env = 0; env < kEnvs; ++env) {
    EXPECT_TRUE((Of(staging, env) == Staged{env + 1.0, false}));
  }
}

TEST(ActionStaging, RoundsToFloat32ForEnvironmentsWithoutStepFloat64) {
  ActionStaging staging(SpecOf(OutOfBounds::kEnvClips), kEnvs, false);
  Stage<double>(staging, {0, 0.1}, {1});
  EXPECT_TRUE((Of(staging, 1) == Staged{static_cast<double>(0.1F), false}));
}

TEST(ActionStaging, ChecksBoundsInFloat64) {
  ActionStaging staging(SpecOf(OutOfBounds::kReject), kEnvs, true);
  const double above = std::nextafter(2.0, 3.0);
  Stage<double>(staging, {-1, 2.0, 1, -2.0}, {0, 3});
  EXPECT_TRUE((Of(staging, 3) == Staged{-2.0, true}));
  EXPECT_THROW_MESSAGE(Stage<double>(staging, {0, above}, {1}), Error,
                       "actions[0] element [1] (environment 1): expected a value in [-2, 2]");
  EXPECT_THROW_MESSAGE(Stage<std::int64_t>(staging, {-2, 0}, {1}), Error, "expected a value in");
  EXPECT_THROW_MESSAGE(Stage<double>(staging, {std::numeric_limits<double>::quiet_NaN(), 0}, {1}),
                       Error, "got nan");
}

}  // namespace action_staging_test
}  // namespace engine::testing
