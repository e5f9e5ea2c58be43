// Attributes of the environments of a group: what keeps a value and what ends it. For groups of a
// class, and for those that step it through the C interface of plug-ins.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_group.h"
#include "engine/checks/checked_group.h"
#include "engine/group/env_group_of.h"
#include "tests/engine/harness.h"
#include "tests/engine/testing_module/attributed.h"

namespace engine::testing {
namespace attributes_group_test {

static_assert(HasAttributes<Attributed>);

enum Index : std::size_t { kSpeed, kLives, kBreaks, kColor, kRange, kRefused };
enum class Kind : std::uint8_t { kOfClass, kAbi, kChecked };
constexpr Kind kKinds[] = {Kind::kOfClass, Kind::kAbi, Kind::kChecked};
constexpr std::uint32_t kEnvs = 3;

std::unique_ptr<EnvGroup> MakeGroup(Kind kind, double speed = 1.5) {
  static const envpool_task kTask = AbiClass<Attributed>::Functions();
  const ParamValues options(Attributed::Options(), {{"speed", speed}}, "option", "Attributed");
  const GroupConfig config{.num_envs = kEnvs, .autoreset = AutoresetMode::kDisabled};
  if (kind == Kind::kAbi)
    return std::make_unique<AbiGroup>(kTask, DescribeAbiTask(kTask, options), options, config);
  std::unique_ptr<EnvGroup> group = std::make_unique<EnvGroupOf<Attributed>>(options, config);
  if (kind == Kind::kChecked) group = std::make_unique<CheckedGroup>(std::move(group));
  return group;
}

class Fixture {
 public:
  explicit Fixture(Kind kind) : owned(MakeGroup(kind)), group(*owned) {
    out.frame = {.obs = &obs_column, .elapsed_step = elapsed};
    out.reward = reward;
    out.terminated = terminated;
    out.truncated = truncated;
    out.env_id = env_id;
    group.Construct(0, kEnvs);
    Reset();
  }
  void Reset(ResetPlan plan = {}) {
    group.ResetRows({.end = kEnvs}, plan, out, StopCondition::Never(), counts);
  }
  void Step() {
    const std::array<std::int64_t, kEnvs> actions{};
    const ActionSlots slots{.base = reinterpret_cast<const std::byte*>(actions.data()),
                            .bytes = sizeof(std::int64_t)};
    group.StepRows({.end = kEnvs}, slots, out, StopCondition::Never(), counts);
  }
  void Set(std::uint32_t env, Index index, const std::vector<double>& value) {
    group.SetAttribute(env, index, value);
  }
  std::vector<double> Get(std::uint32_t env, Index index) const {
    return group.GetAttribute(env, index);
  }

  const std::unique_ptr<EnvGroup> owned;
  EnvGroup& group;
  BatchView out;
  StepCounts counts;
  double obs[kEnvs][7] = {};
  double reward[kEnvs] = {};
  std::int32_t elapsed[kEnvs] = {}, env_id[kEnvs] = {};
  bool terminated[kEnvs] = {}, truncated[kEnvs] = {};

 private:
  Column obs_column{reinterpret_cast<std::byte*>(&obs), sizeof(obs[0])};
};

using Value = std::vector<double>;

TEST(GroupAttributes, AreOfOneEnvironment) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    const std::vector<AttributeSpec>& specs = fixture.group.Attributes(nullptr);
    ASSERT_EQ(specs.size(), std::size_t{6});
    EXPECT_EQ(specs[kRange].name, "range");
    EXPECT_EQ(specs[kRange].elements, 2U);
    EXPECT_EQ(specs[kRange].low, -10.0);
    EXPECT_TRUE((specs[kColor].choices == std::vector<std::string>{"red", "blue"}));
    EXPECT_TRUE(specs[kLives].type == AttributeType::kInt);

    fixture.Set(1, kSpeed, {4.0});
    fixture.Set(1, kRange, {-2.0, 7.0});
    fixture.Step();
    EXPECT_EQ(fixture.reward[0], 1.5);
    EXPECT_EQ(fixture.reward[1], 4.0);
    EXPECT_EQ(fixture.obs[1][1], 1.5);  // at the reset
    EXPECT_EQ(fixture.obs[1][6], 7.0);
    EXPECT_EQ(fixture.obs[2][6], 1.0);
    EXPECT_TRUE(fixture.Get(0, kSpeed) == Value{1.5});
    EXPECT_TRUE(fixture.Get(1, kSpeed) == Value{4.0});
    EXPECT_TRUE(fixture.Get(1, kLives) == Value{3.0});
    EXPECT_TRUE((fixture.Get(1, kRange) == Value{-2.0, 7.0}));
    fixture.Reset();
    EXPECT_EQ(fixture.obs[1][1], 4.0);
  }
}

TEST(GroupAttributes, StayWhenAFailedEnvironmentIsMadeAgain) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    fixture.Set(0, kSpeed, {4.0});
    fixture.Set(0, kBreaks, {1.0});
    fixture.Step();
    EXPECT_TRUE((fixture.group.status(0) & EnvStatus::kFailed) != 0);
    // The value of an environment that has failed can be changed.
    fixture.Set(0, kBreaks, {0.0});
    fixture.Set(0, kColor, {1.0});
    fixture.Reset();
    EXPECT_EQ(fixture.obs[0][1], 4.0);  // it was set before the reset
    EXPECT_EQ(fixture.obs[0][4], 1.0);
    fixture.Step();
    EXPECT_EQ(fixture.reward[0], 4.0);
    EXPECT_TRUE((fixture.group.status(0) & EnvStatus::kFailed) == 0);
  }
}

TEST(GroupAttributes, EndWithTheSetting) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    const std::unique_ptr<EnvGroup> other = MakeGroup(kind, 8.0);
    fixture.group.settings().Prepare(kEnvs);
    fixture.Set(0, kSpeed, {4.0});
    fixture.Set(0, kLives, {1.0});
    fixture.group.settings().SetNext(0, other->OwnSetting());
    fixture.Step();
    EXPECT_EQ(fixture.reward[0], 4.0);  // until the reset
    fixture.Reset();
    EXPECT_EQ(fixture.obs[0][2], 8.0);
    EXPECT_EQ(fixture.obs[0][3], 3.0);
    EXPECT_TRUE(fixture.Get(0, kSpeed) == Value{8.0});
    EXPECT_TRUE(fixture.Get(1, kSpeed) == Value{1.5});
    fixture.Set(0, kLives, {2.0});
    EXPECT_TRUE(fixture.Get(0, kSpeed) == Value{8.0});
    fixture.Set(0, kBreaks, {1.0});
    fixture.Step();
    fixture.Set(0, kBreaks, {0.0});
    fixture.Reset();  // makes it again
    EXPECT_EQ(fixture.obs[0][2], 8.0);
    EXPECT_EQ(fixture.obs[0][3], 2.0);
  }
}

TEST(GroupAttributes, ArePartOfStates) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    fixture.Set(0, kSpeed, {4.0});
    fixture.Step();
    const std::string changed = fixture.group.SaveState(0);
    const std::string plain = fixture.group.SaveState(1);
    fixture.group.CheckState(0, changed, "");
    fixture.Set(2, kSpeed, {9.0});
    fixture.Set(2, kLives, {9.0});
    const std::array states = {plain, changed, changed};
    fixture.Reset({.states = states.data()});
    EXPECT_TRUE(fixture.Get(0, kSpeed) == Value{1.5});
    EXPECT_TRUE(fixture.Get(1, kSpeed) == Value{4.0});
    EXPECT_TRUE(fixture.Get(2, kSpeed) == Value{4.0});
    EXPECT_TRUE(fixture.Get(2, kLives) == Value{3.0});
    fixture.Step();
    EXPECT_EQ(fixture.reward[0], 1.5);
    EXPECT_EQ(fixture.reward[1], 4.0);
    EXPECT_EQ(fixture.reward[2], 4.0);
    EXPECT_EQ(fixture.obs[2][3], 3.0);
  }
}

TEST(GroupAttributes, OfAStateAreLoadedIntoAFailedEnvironment) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    fixture.Set(0, kSpeed, {4.0});
    fixture.Set(1, kLives, {7.0});
    fixture.Set(1, kBreaks, {1.0});
    const std::string state = fixture.group.SaveState(0);
    fixture.Step();
    EXPECT_TRUE((fixture.group.status(1) & EnvStatus::kFailed) != 0);
    const std::array states = {state, state, state};
    fixture.Reset({.states = states.data()});
    EXPECT_EQ(fixture.obs[1][2], 4.0);
    EXPECT_EQ(fixture.obs[1][3], 3.0);
    fixture.Step();
    EXPECT_TRUE((fixture.group.status(1) & EnvStatus::kFailed) == 0);
  }
}

TEST(GroupAttributes, OfAnAlteredStateAreChecked) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    fixture.Set(0, kLives, {7.0});
    std::string state = fixture.group.SaveState(0);
    const double lives = 7.0;
    const double altered = 10.0;  // above the bound
    const std::string_view number(reinterpret_cast<const char*>(&lives), sizeof(lives));
    const std::size_t at = state.find(number);
    ASSERT_TRUE(at != std::string::npos);
    state.replace(at, sizeof(altered), reinterpret_cast<const char*>(&altered), sizeof(altered));
    EXPECT_THROW_MESSAGE(fixture.group.CheckState(0, state, "it"), Error, "attributes");
  }
}

TEST(GroupAttributes, StayIfTheClassRefusesAValue) {
  for (const Kind kind : kKinds) {
    Fixture fixture(kind);
    fixture.Set(0, kRefused, {12.0});
    EXPECT_THROW_MESSAGE(fixture.Set(0, kRefused, {13.0}), std::exception, "not 13");
    EXPECT_TRUE(fixture.Get(0, kRefused) == Value{12.0});
  }
}

}  // namespace attributes_group_test
}  // namespace engine::testing
