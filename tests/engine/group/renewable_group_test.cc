// What a new environment takes over from one that was given up: its number, its setting, the
// attributes that the program has set, and a seed from its own stream. The place of an environment
// that was given up is used again once its call has ended.
#include "engine/group/renewable_group.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/batch/batch_memory.h"
#include "engine/group/env_group_of.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace renewable_group_test {

// Observes (option "scale", attribute "gain", steps since the reset, a number drawn at the reset).
class Numbers {
 public:
  static ParamSchema Options() {
    return {{.name = "scale", .default_value = std::int64_t{1}, .doc = "", .low = {}, .high = {}}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<double>({4}, -1e300, 1e300);
    spec.action = SpaceSpec::Discrete(2);
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues& options) : scale(options.Get<std::int64_t>("scale")) {}
    std::int64_t scale;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };
  static std::vector<AttributeSpec> Attributes(const Config&) {
    return {{.name = "gain", .low = 0.0, .high = 9.0, .choices = {}, .value = {1.0}}};
  }

  explicit Numbers(const Config& config) : config_(config) { ++alive; }
  ~Numbers() { --alive; }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  void SetAttribute(std::size_t, std::span<const double> value) { gain_ = value[0]; }
  void Reset(const Start&, Rng& rng) {
    drawn_ = rng.Uniform(0.0, 1.0);
    steps_ = 0;
  }
  StepResult Step(ActionView, Rng&) {
    ++steps_;
    return {};
  }
  void Observe(ObsRow row) const {
    double* const obs = row.Data<double>();
    obs[0] = static_cast<double>(config_.scale);
    obs[1] = gain_;
    obs[2] = static_cast<double>(steps_);
    obs[3] = drawn_;
  }

  static inline int alive = 0;

 private:
  const Config& config_;
  double gain_ = 1.0;
  double steps_ = 0.0;
  double drawn_ = 0.0;
};

constexpr std::uint32_t kEnvs = 3;

ParamValues Options(std::int64_t scale) {
  return ParamValues(Numbers::Options(), {{"scale", scale}}, "option", "Numbers");
}

std::unique_ptr<EnvGroup> MakeNumbers() {
  return std::make_unique<EnvGroupOf<Numbers>>(Options(1), GroupConfig{.num_envs = kEnvs});
}

// Makes the calls that a worker makes, on one thread.
class Caller {
 public:
  Caller()
      : group_(MakeNumbers(), MakeNumbers),
        memory_(group_.spec(), 1, {}, HeapAllocator::Global(), 0),
        row_(memory_.Take()) {
    for (std::uint32_t env = 0; env < kEnvs; ++env) {
      RenewableGroup::Hold hold = group_.HoldOf(env, known_);
      hold.Construct();
      group_.Take(hold, 0, false);
    }
    group_.SeedFromEntropy(1, 2);
    for (std::uint32_t env = 0; env < kEnvs; ++env) group_.Seed(env, 10 + env);
  }

  RenewableGroup& group() { return group_; }
  std::vector<double> Reset(std::uint32_t env) { return Run(env, true); }
  std::vector<double> Step(std::uint32_t env) { return Run(env, false); }
  // Begins a call, which is given up, and returns what its thread has.
  RenewableGroup::Hold GiveUp(std::uint32_t env) {
    RenewableGroup::Hold hold = group_.HoldOf(env, known_);
    hold.Construct();
    StepCounts counts;
    group_.GiveUp(env, "too long", counts);
    EXPECT_EQ(counts.failures, 1U);
    EXPECT_TRUE((group_.status(env) & EnvStatus::kFailed) != 0);
    return hold;
  }

 private:
  std::vector<double> Run(std::uint32_t env, bool resets) {
    RenewableGroup::Hold hold = group_.HoldOf(env, known_);
    hold.Construct();
    StepCounts counts;
    const EnvRange one{.ids = &env, .begin = 0, .end = 1};
    const StopCondition& never = StopCondition::Never();
    if (resets) {
      hold.group().ResetRows(one, {}, row_->view(), never, counts);
    } else {
      hold.group().StepRows(one, {.base = action_, .bytes = 0}, row_->view(), never, counts);
    }
    EXPECT_EQ(counts.failures, 0U);
    group_.Take(hold, row_->view().frame.elapsed_step[0], false);
    EXPECT_EQ(group_.status(env), EnvStatus::kReadyToStep);
    EXPECT_EQ(row_->view().env_id[0], static_cast<std::int32_t>(env));
    const auto* const obs = row_->Data<double>(row_->layout().frame.obs);
    return {obs, obs + 4};
  }

  RenewableGroup group_;
  RenewableGroup::Known known_;
  BatchMemory memory_;
  OpenBatch* row_;
  alignas(8) std::byte action_[8] = {};
};

double FirstNumber(Rng rng) { return rng.Uniform(0.0, 1.0); }
Rng Seeded(std::uint64_t seed) {
  Rng rng;
  rng.Seed(seed);
  return rng;
}

TEST(RenewableGroup, ANewEnvironmentHasASeedFromTheStreamOfTheOldOne) {
  Caller caller;
  EXPECT_EQ(caller.Reset(1)[3], FirstNumber(Seeded(11)));
  caller.Step(1);
  RenewableGroup::Hold stuck = caller.GiveUp(1);
  const std::vector<double> obs = caller.Reset(1);
  EXPECT_EQ(obs[3], FirstNumber(Seeded(Seeded(11).NextUint64())));
  EXPECT_EQ(obs[2], 0.0);
  EXPECT_EQ(caller.Step(1)[2], 1.0);
  EXPECT_EQ(caller.Reset(2)[3], FirstNumber(Seeded(12)));
  stuck.Discard();
}

// The seed that was used in the call that was given up is not used again.
TEST(RenewableGroup, TheFirstCallIsGivenUp) {
  Caller caller;
  RenewableGroup::Hold stuck = caller.GiveUp(1);
  EXPECT_EQ(caller.Reset(1)[3], FirstNumber(Seeded(Seeded(11).NextUint64())));
  stuck.Discard();
}

TEST(RenewableGroup, ASeedOfTheProgramIsUsed) {
  Caller caller;
  caller.Reset(1);
  RenewableGroup::Hold stuck = caller.GiveUp(1);
  caller.group().Seed(1, 99);
  EXPECT_EQ(caller.Reset(1)[3], FirstNumber(Seeded(99)));
  stuck.Discard();
}

TEST(RenewableGroup, AttributesAndSettingsStay) {
  Caller caller;
  caller.Reset(0);
  const double gain[] = {2.5};
  caller.group().SetAttribute(0, 0, gain);
  EXPECT_EQ(caller.Step(0)[1], 2.5);
  RenewableGroup::Hold stuck = caller.GiveUp(0);
  EXPECT_EQ(caller.group().GetAttribute(0, 0)[0], 2.5);
  EXPECT_EQ(caller.Reset(0)[1], 2.5);

  // Another setting: from the next reset on, also if the environment is given up before.
  const std::unique_ptr<EnvGroup> other =
      std::make_unique<EnvGroupOf<Numbers>>(Options(7), GroupConfig{.num_envs = 1});
  const EnvSettingPtr seven = other->OwnSetting();
  caller.group().settings().Prepare(kEnvs);
  caller.group().settings().SetNext(0, seven);
  EXPECT_EQ(caller.Step(0)[0], 1.0);
  EXPECT_TRUE(caller.group().settings().Current(0) == nullptr);
  RenewableGroup::Hold again = caller.GiveUp(0);
  std::vector<double> obs = caller.Reset(0);
  EXPECT_EQ(obs[0], 7.0);
  EXPECT_EQ(obs[1], 1.0);  // another setting ends attributes
  EXPECT_TRUE(caller.group().settings().Current(0) == seven);
  EXPECT_TRUE(caller.group().settings().Pending(0) == nullptr);
  RenewableGroup::Hold third = caller.GiveUp(0);
  EXPECT_EQ(caller.Reset(0)[0], 7.0);
  caller.group().settings().SetNext(0, seven);  // the same one: the environment is made again
  EXPECT_EQ(caller.Reset(0)[0], 7.0);
  EXPECT_TRUE(caller.group().settings().Pending(0) == nullptr);
  for (RenewableGroup::Hold* hold : {&stuck, &again, &third}) hold->Discard();

  // Attributes stay also if there are places of environments with another setting.
  caller.group().SetAttribute(0, 0, gain);
  for (int round = 0; round < 5; ++round) {
    RenewableGroup::Hold next = caller.GiveUp(0);
    obs = caller.Reset(0);
    EXPECT_EQ(obs[0], 7.0);
    EXPECT_EQ(obs[1], 2.5);
    next.Discard();
    EXPECT_EQ(caller.Reset(0)[1], 2.5);
  }
}

TEST(RenewableGroup, PlacesAreUsedAgain) {
  const int before = Numbers::alive;
  {
    Caller caller;
    caller.Reset(2);
    for (int round = 0; round < 20; ++round) {
      RenewableGroup::Hold stuck = caller.GiveUp(2);
      caller.Reset(2);
      RenewableGroup::Hold second = caller.GiveUp(2);
      EXPECT_EQ(Numbers::alive - before, static_cast<int>(kEnvs) + 1);
      second.Discard();
      caller.Reset(2);
      EXPECT_EQ(Numbers::alive - before, static_cast<int>(kEnvs) + 1);
      stuck.Discard();
      EXPECT_EQ(Numbers::alive - before, static_cast<int>(kEnvs));
      EXPECT_EQ(caller.Step(2)[2], 1.0);
    }
  }
  EXPECT_EQ(Numbers::alive, before);
}

}  // namespace renewable_group_test
}  // namespace engine::testing
