// Classes with StepMany, built in and through the C interface of plug-ins: when the group calls it,
// that rows are those of Step, and which environments an exception fails.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_group.h"
#include "engine/env/step_range.h"
#include "engine/group/env_group_of.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace step_many_test {

// Adds its action to a sum. StepMany also records the number of environments of each call.
class Adder {
 public:
  static constexpr bool kNeverWaits = true;
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(10);
    return spec;
  }
  void Reset(Rng& rng) { sum_ = rng.Integers(100); }
  StepResult Step(ActionView action, Rng& rng) {
    if (action.Index() == 9) throw std::runtime_error("nine");
    sum_ += action.Index() + rng.Integers(5);
    return {.reward = static_cast<double>(sum_), .terminated = sum_ % 7 == 0};
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = sum_; }
  double Score() const { return static_cast<double>(sum_) / 2.0; }

 private:
  std::int64_t sum_ = 0;
};

class ManyAdder : public Adder {
 public:
  static void StepMany(StepRange<ManyAdder> range) {
    calls.push_back(range.size());
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      range.Set(k, range.env(k).Step(range.action(k), range.rng(k)));
    }
  }
  static inline std::vector<std::uint32_t> calls;
};

// Leaves every third environment, and those that would throw, to Step. Is called for 3 or more.
class LeavingAdder : public Adder {
 public:
  static std::uint32_t LeastTogether() { return 3; }
  static void StepMany(StepRange<LeavingAdder> range) {
    least = std::min(least, range.size());
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      if (k % 3 == 0 || range.action(k).Index() == 9) {
        range.Leave(k);
        ++left;
      } else {
        range.Set(k, range.env(k).Step(range.action(k), range.rng(k)));
      }
    }
  }
  static inline std::uint32_t least = 0;
  static inline int left = 0;
};

// Has float32 actions. Adds 100 for a float64 action.
class FloatAdder {
 public:
  static constexpr bool kNeverWaits = true;
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Box<float>({1}, 0.0f, 9.0f);
    return spec;
  }
  void Reset(Rng&) { sum_ = 0; }
  StepResult Step(ActionView action, Rng&) {
    return Add(static_cast<double>(*action.Data<float>()));
  }
  StepResult StepFloat64(ActionView action, Rng&) { return Add(*action.Data<double>() + 100.0); }
  static void StepMany(StepRange<FloatAdder> range) {
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      range.Set(k, range.is_float64(k)
                       ? range.env(k).StepFloat64(range.float64_action(k), range.rng(k))
                       : range.env(k).Step(range.action(k), range.rng(k)));
    }
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = sum_; }

 private:
  StepResult Add(double action) {
    sum_ += static_cast<std::int64_t>(action);
    return {.reward = action};
  }

  std::int64_t sum_ = 0;
};

constexpr std::uint32_t kEnvs = 150;

enum class Kind : std::uint8_t { kBuiltIn, kPlugin };
constexpr Kind kKinds[] = {Kind::kBuiltIn, Kind::kPlugin};

// A group and a batch.
template <class E>
struct Fixture {
  explicit Fixture(AutoresetMode mode, Kind kind = Kind::kBuiltIn) {
    static const envpool_task kTask = AbiClass<E>::Functions();
    const ParamValues none({}, {}, "option", "");
    const GroupConfig config{
        .num_envs = kEnvs, .autoreset = mode, .max_episode_steps = 6, .records_episodes = true};
    if (kind == Kind::kBuiltIn) {
      group = std::make_unique<EnvGroupOf<E>>(none, config);
    } else {
      group = std::make_unique<AbiGroup>(kTask, E::Spec(none), none, config);
    }
    out.frame = {.obs = &obs_column, .elapsed_step = elapsed};
    out.final_frame = {.obs = &final_column, .elapsed_step = final_elapsed};
    pending.final_frame = {.obs = &pending_column, .elapsed_step = &pending_elapsed};
    out.reward = reward;
    out.terminated = terminated;
    out.truncated = truncated;
    out.env_id = env_id;
    out.episode = {
        .total_reward = total_reward, .length = length, .seconds = seconds, .mask = mask};
    if (mode == AutoresetMode::kSameStep) out.final_mask = final_mask;
    group->Construct(0, kEnvs);
    group->ResetRows({.end = kEnvs}, {.seed_by_env = true, .first_seed = 3}, out,
                     StopCondition::Never(), counts);
  }
  void Step(const std::vector<std::int64_t>& actions) {
    const ActionSlots slots{.base = reinterpret_cast<const std::byte*>(actions.data()),
                            .bytes = sizeof(std::int64_t)};
    group->StepRows({.end = kEnvs}, slots, out, StopCondition::Never(), counts);
  }
  // Without rows, in descending order; resets environments whose flag is set.
  void StepUnplaced(const std::vector<std::int64_t>& actions,
                    const std::vector<std::uint8_t>& reset_flags) {
    const ActionSlots slots{.base = reinterpret_cast<const std::byte*>(actions.data()),
                            .bytes = sizeof(std::int64_t)};
    std::vector<std::uint32_t> ids(kEnvs);
    for (std::uint32_t k = 0; k < kEnvs; ++k) ids[k] = kEnvs - 1 - k;
    std::vector<engine::Outcome> outcomes(kEnvs);
    std::uint32_t done = 0;
    while (done < kEnvs) {
      const std::uint32_t n =
          group->StepWithoutRows(ids.data() + done, kEnvs - done, reset_flags.data(), slots,
                                 pending, outcomes.data() + done, StopCondition::Never(), counts);
      group->WriteRows(ids.data() + done, n, ids.data() + done, 0, outcomes.data() + done, pending,
                       out, counts);
      done += n;
    }
  }

  std::unique_ptr<EnvGroup> group;
  BatchView out;
  BatchView pending;
  StepCounts counts;
  std::int64_t obs[kEnvs] = {}, final_obs[kEnvs] = {}, length[kEnvs] = {};
  std::int32_t elapsed[kEnvs] = {}, final_elapsed[kEnvs] = {}, env_id[kEnvs] = {};
  double reward[kEnvs] = {}, total_reward[kEnvs] = {}, seconds[kEnvs] = {};
  bool terminated[kEnvs] = {}, truncated[kEnvs] = {}, final_mask[kEnvs] = {}, mask[kEnvs] = {};
  std::int64_t pending_obs = 0;
  std::int32_t pending_elapsed = 0;
  Column pending_column{reinterpret_cast<std::byte*>(&pending_obs), sizeof(pending_obs)};
  Column obs_column{reinterpret_cast<std::byte*>(obs), sizeof(obs[0])};
  Column final_column{reinterpret_cast<std::byte*>(final_obs), sizeof(final_obs[0])};
};

template <class One, class Many>
void ExpectEqualRows(const One& one, const Many& many) {
  for (std::uint32_t env = 0; env < kEnvs; ++env) {
    EXPECT_EQ(one.obs[env], many.obs[env]);
    EXPECT_EQ(one.reward[env], many.reward[env]);
    EXPECT_EQ(one.terminated[env], many.terminated[env]);
    EXPECT_EQ(one.truncated[env], many.truncated[env]);
    EXPECT_EQ(one.elapsed[env], many.elapsed[env]);
    EXPECT_EQ(one.env_id[env], many.env_id[env]);
    EXPECT_EQ(one.mask[env], many.mask[env]);
    if (one.mask[env]) {
      EXPECT_EQ(one.total_reward[env], many.total_reward[env]);
      EXPECT_EQ(one.length[env], many.length[env]);
    }
    EXPECT_EQ(one.final_mask[env], many.final_mask[env]);
    if (one.final_mask[env]) EXPECT_EQ(one.final_obs[env], many.final_obs[env]);
    if (one.final_mask[env]) EXPECT_EQ(one.final_elapsed[env], many.final_elapsed[env]);
  }
  EXPECT_EQ(one.counts.steps, many.counts.steps);
  EXPECT_EQ(one.counts.episodes, many.counts.episodes);
  EXPECT_EQ(one.counts.resets, many.counts.resets);
  EXPECT_EQ(one.counts.failures, many.counts.failures);
}

// Steps groups of both classes. `highest`: 9 throws.
template <class E>
void Compare(Kind kind, std::int64_t highest) {
  for (const AutoresetMode mode :
       {AutoresetMode::kNextStep, AutoresetMode::kSameStep, AutoresetMode::kDisabled}) {
    for (const bool placed : {true, false}) {
      Fixture<Adder> one(mode);
      Fixture<E> many(mode, kind);
      Rng choose(1);
      const int steps = mode == AutoresetMode::kDisabled ? 2 : 40;
      for (int step = 0; step < steps; ++step) {
        std::vector<std::int64_t> actions(kEnvs);
        for (std::int64_t& action : actions) action = choose.Integers(highest + 1);
        std::vector<std::uint8_t> flags(kEnvs);
        for (std::uint8_t& flag : flags) flag = choose.Integers(20) == 0 ? 1 : 0;
        if (placed) {
          one.Step(actions);
          many.Step(actions);
        } else {
          one.StepUnplaced(actions, flags);
          many.StepUnplaced(actions, flags);
        }
        ExpectEqualRows(one, many);
        if (highest == 9) break;  // failed environments are not stepped
      }
      if (steps == 40 && highest < 9) EXPECT_TRUE(one.counts.episodes > kEnvs);
      EXPECT_EQ(one.counts.failures > 0, highest == 9);
    }
  }
}

TEST(StepMany, GivesTheRowsOfStepInEveryMode) {
  for (const Kind kind : kKinds) Compare<ManyAdder>(kind, 8);
}

TEST(StepMany, MayLeaveEnvironmentsToStep) {
  for (const Kind kind : kKinds) {
    LeavingAdder::left = 0;
    LeavingAdder::least = std::numeric_limits<std::uint32_t>::max();
    Compare<LeavingAdder>(kind, 8);
    EXPECT_GT(LeavingAdder::left, 0);
    EXPECT_GE(LeavingAdder::least, 3U);
    Compare<LeavingAdder>(kind, 9);  // each environment fails alone
  }
}

TEST(StepMany, IsCalledForSeveralEnvironmentsOnly) {
  for (const Kind kind : kKinds) {
    Fixture<ManyAdder> many(AutoresetMode::kNextStep, kind);
    ManyAdder::calls.clear();
    many.Step(std::vector<std::int64_t>(kEnvs, 0));
    EXPECT_TRUE(ManyAdder::calls.size() >= 2);
    for (const std::uint32_t size : ManyAdder::calls)
      EXPECT_TRUE(size >= 2 && size <= kMostTogether);
  }
}

TEST(StepMany, AnExceptionIsThatOfAllItsEnvironments) {
  for (const Kind kind : kKinds) {
    Fixture<ManyAdder> many(AutoresetMode::kNextStep, kind);
    std::vector<std::int64_t> actions(kEnvs, 0);
    actions[70] = 9;
    ManyAdder::calls.clear();
    many.Step(actions);
    std::uint32_t failed = 0;
    for (std::uint32_t env = 0; env < kEnvs; ++env) {
      const bool fails = (many.group->status(env) & EnvStatus::kFailed) != 0;
      if (!fails) continue;
      ++failed;
      EXPECT_EQ(many.group->FailureOf(env), std::string("nine"));
      EXPECT_EQ(many.obs[env], 0);
    }
    EXPECT_EQ(failed, ManyAdder::calls[1]) << "environments 64 to 127";
    EXPECT_EQ(many.counts.failures, std::uint64_t{failed});
  }
}

TEST(StepMany, SeesTheDtypeOfEachAction) {
  for (const Kind kind : kKinds) {
    Fixture<FloatAdder> many(AutoresetMode::kNextStep, kind);
    const std::vector<float> floats(kEnvs, 2.0f);
    const std::vector<double> doubles(kEnvs, 3.0);
    std::vector<std::uint8_t> is_float64(kEnvs);
    for (std::uint32_t env = 0; env < kEnvs; env += 3) is_float64[env] = 1;
    const ActionSlots slots{.base = reinterpret_cast<const std::byte*>(floats.data()),
                            .bytes = sizeof(float),
                            .dtype = DType::kFloat32,
                            .float64_base = reinterpret_cast<const std::byte*>(doubles.data()),
                            .is_float64 = is_float64.data()};
    many.group->StepRows({.end = kEnvs}, slots, many.out, StopCondition::Never(), many.counts);
    for (std::uint32_t env = 0; env < kEnvs; ++env)
      EXPECT_EQ(many.obs[env], is_float64[env] != 0 ? 103 : 2);
  }
}

}  // namespace step_many_test
}  // namespace engine::testing
