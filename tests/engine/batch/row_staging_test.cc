// Staged actions of several leaves: the values that an environment reads, and rejected actions.
#include "engine/batch/row_staging.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace row_staging_test {

constexpr std::uint32_t kEnvs = 3;
enum Leaf : std::uint8_t { kMode, kForce, kSwitches };

EnvSpec SpecOf(OutOfBounds out_of_bounds = OutOfBounds::kReject) {
  EnvSpec spec;
  spec.observation = SpaceSpec::Discrete(2);
  spec.action = SpaceSpec::Dict(
      {{"mode", SpaceSpec::Discrete(3, -1)},
       {"parts",
        SpaceSpec::Tuple({SpaceSpec::Box<float>({2}, -1.0F, 1.0F), SpaceSpec::MultiBinary(2)})}});
  spec.action_out_of_bounds = out_of_bounds;
  return spec;
}

// The rows of an array of one or two dimensions.
template <class T>
struct Rows {
  Rows(std::vector<T> given, std::int64_t count, std::int64_t width, const char* given_name)
      : values(std::move(given)), shape{count, width}, name(given_name) {}
  ArrayView view() const {
    return {.data = reinterpret_cast<const std::byte*>(values.data()),
            .dtype = DTypeOf<T>(),
            .shape = shape,
            .num_dims = shape[1] == 0 ? 1U : 2U,
            .name = name};
  }
  std::vector<T> values;
  std::int64_t shape[2];
  const char* name;
};

template <class Force>
void Stage(RowStaging& staging, const std::vector<std::int64_t>& modes,
           const std::vector<Force>& forces, const std::vector<std::int8_t>& switches,
           const std::vector<std::uint32_t>& ids) {
  const auto n = static_cast<std::int64_t>(ids.size());
  const Rows<std::int64_t> mode(modes, static_cast<std::int64_t>(modes.size()), 0, "a['mode']");
  const Rows<Force> force(forces, n, 2, "a['parts'][0]");
  const Rows<std::int8_t> on(switches, n, 2, "a['parts'][1]");
  const ActionLeaves leaves = {mode.view(), force.view(), on.view()};
  staging.Stage({.tree = &leaves}, ids.data(), static_cast<std::uint32_t>(n));
}

TEST(RowStaging, EachLeafArrivesAtItsEnvironment) {
  RowStaging staging(SpecOf(), kEnvs, false);
  Stage<float>(staging, {-1, 1}, {0.5F, -0.5F, 1, -1}, {0, 1, 1, 1}, {2, 0});
  const ActionRow two = staging.slots().RowOf(2);
  const ActionRow zero = staging.slots().RowOf(0);
  EXPECT_EQ(two.Index(kMode), -1);
  EXPECT_EQ(zero.Index(kMode), 1);
  EXPECT_EQ(two.Data<float>(kForce)[0], 0.5F);
  EXPECT_EQ(two.Data<float>(kForce)[1], -0.5F);
  EXPECT_EQ(zero.Data<float>(kForce)[1], -1.0F);
  EXPECT_EQ(static_cast<int>(two.Data<std::int8_t>(kSwitches)[0]), 0);
  EXPECT_EQ(static_cast<int>(zero.Data<std::int8_t>(kSwitches)[0]), 1);
}

TEST(RowStaging, KeepsFloat64OfFloat32BoxesOnly) {
  RowStaging staging(SpecOf(), kEnvs, true);
  Stage<double>(staging, {0}, {0.1, 0.2}, {0, 1}, {1});
  Stage<float>(staging, {0}, {0.1F, 0.2F}, {0, 1}, {0});
  const ActionRow wide = staging.slots().RowOf(1);
  const ActionRow narrow = staging.slots().RowOf(0);
  EXPECT_TRUE(wide.IsFloat64(kForce));
  EXPECT_FALSE(wide.IsFloat64(kMode));
  EXPECT_FALSE(narrow.IsFloat64(kForce));
  EXPECT_EQ(wide.Data<double>(kForce)[0], 0.1);
  EXPECT_EQ(narrow.Data<float>(kForce)[0], 0.1F);
  EXPECT_THROW_MESSAGE(wide.Data<float>(kForce), Error,
                       "action leaf 1: expected to be read as float64, its dtype, got float32");
}

TEST(RowStaging, RoundsToFloat32WhereFloat64IsNotKept) {
  RowStaging staging(SpecOf(), kEnvs, false);
  Stage<double>(staging, {0}, {0.1, 0.2}, {0, 1}, {1});
  EXPECT_FALSE(staging.slots().RowOf(1).IsFloat64(kForce));
  EXPECT_EQ(staging.slots().RowOf(1).Data<float>(kForce)[0], 0.1F);
}

TEST(RowStaging, NamesTheLeafThatIsWrong) {
  RowStaging staging(SpecOf(), kEnvs, false);
  EXPECT_THROW_MESSAGE(Stage<float>(staging, {2}, {0, 0}, {0, 0}, {1}), Error,
                       "a['mode'][0] (environment 1): expected an integer in [-1, 1], got 2");
  EXPECT_THROW_MESSAGE(Stage<float>(staging, {0, 0}, {0, 0}, {0, 0}, {1}), Error,
                       "a['mode']: expected shape (1,)");
  EXPECT_THROW_MESSAGE(
      Stage<float>(staging, {0}, {0, 2}, {0, 0}, {1}), Error,
      "a['parts'][0][0] element [1] (environment 1): expected a value in [-1, 1], got 2");
  EXPECT_THROW_MESSAGE(Stage<float>(staging, {0}, {0, 0}, {0, 2}, {1}), Error,
                       "a['parts'][1][0] element [1] (environment 1)");
}

TEST(RowStaging, PassesBoxesOutOfBoundsOnIfTheEnvironmentClips) {
  RowStaging staging(SpecOf(OutOfBounds::kEnvClips), kEnvs, false);
  Stage<float>(staging, {0}, {7, -8}, {0, 1}, {1});
  EXPECT_EQ(staging.slots().RowOf(1).Data<float>(kForce)[1], -8.0F);
  EXPECT_THROW_MESSAGE(Stage<float>(staging, {5}, {0, 0}, {0, 0}, {1}), Error, "a['mode'][0]");
}

TEST(RowStaging, AnArrayIsTheActionOfTheOnlyLeaf) {
  EnvSpec spec;
  spec.action = SpaceSpec::Discrete(4);
  RowStaging staging(spec, kEnvs, false);
  const Rows<std::int64_t> rows({3, 1, 2}, 3, 0, "actions");
  staging.Stage(rows.view(), nullptr, kEnvs);
  EXPECT_EQ(staging.slots().RowOf(2).Index(0), 2);
}

TEST(RowStaging, ReadingAnotherSpaceThrows) {
  RowStaging staging(SpecOf(), kEnvs, false);
  Stage<float>(staging, {0}, {0, 0}, {0, 0}, {0});
  const ActionRow row = staging.slots().RowOf(0);
  EXPECT_THROW_MESSAGE(row.Data<float>(3), Error, "action leaf 3: expected a number below 3");
  EXPECT_THROW_MESSAGE(row.Index(3), Error, "action leaf 3: expected a number below 3");
  EXPECT_THROW_MESSAGE(row.Index(kForce), Error, "expected a discrete space for Index");
  EXPECT_THROW_MESSAGE(row.Data<std::int32_t>(kMode), Error,
                       "action leaf 0: expected to be read as int64, its dtype, got int32");
}

}  // namespace row_staging_test
}  // namespace engine::testing
