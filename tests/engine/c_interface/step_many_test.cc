// Classes with StepMany: when the group calls it, and that an exception fails all environments of
// the call.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/env/step_range.h"
#include "engine/tasks/registry.h"
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

constexpr std::uint32_t kEnvs = 150;

// A group made by the registry, and a batch.
template <class E>
struct Fixture {
  explicit Fixture(AutoresetMode mode) {
    Registry registry;
    registry.Add<E>("Adder-v0", {.max_episode_steps = 6});
    group = registry.Find("Adder-v0")
                .make_group(ParamValues({}, {}, "option", ""), {.num_envs = kEnvs,
                                                                .autoreset = mode,
                                                                .max_episode_steps = 6,
                                                                .records_episodes = true});
    out.frame = {.obs = &obs_column, .elapsed_step = elapsed};
    out.final_frame = {.obs = &final_column, .elapsed_step = final_elapsed};
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

  std::unique_ptr<EnvGroup> group;
  BatchView out;
  StepCounts counts;
  std::int64_t obs[kEnvs] = {}, final_obs[kEnvs] = {}, length[kEnvs] = {};
  std::int32_t elapsed[kEnvs] = {}, final_elapsed[kEnvs] = {}, env_id[kEnvs] = {};
  double reward[kEnvs] = {}, total_reward[kEnvs] = {}, seconds[kEnvs] = {};
  bool terminated[kEnvs] = {}, truncated[kEnvs] = {}, final_mask[kEnvs] = {}, mask[kEnvs] = {};
  Column obs_column{reinterpret_cast<std::byte*>(obs), sizeof(obs[0])};
  Column final_column{reinterpret_cast<std::byte*>(final_obs), sizeof(final_obs[0])};
};

TEST(StepMany, GivesTheRowsOfStepInEveryMode) {
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
    Fixture<Adder> one(mode);
    Fixture<ManyAdder> many(mode);
    Rng choose(1);
    for (int step = 0; step < 40; ++step) {
      std::vector<std::int64_t> actions(kEnvs);
      for (std::int64_t& action : actions) action = choose.Integers(9);
      one.Step(actions);
      many.Step(actions);
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
      }
    }
    EXPECT_EQ(one.counts.steps, many.counts.steps);
    EXPECT_EQ(one.counts.episodes, many.counts.episodes);
    EXPECT_EQ(one.counts.resets, many.counts.resets);
    EXPECT_TRUE(one.counts.episodes > kEnvs);
  }
}

TEST(StepMany, IsCalledForSeveralEnvironmentsOnly) {
  Fixture<ManyAdder> many(AutoresetMode::kNextStep);
  ManyAdder::calls.clear();
  many.Step(std::vector<std::int64_t>(kEnvs, 0));
  EXPECT_TRUE(ManyAdder::calls.size() >= 2);
  for (const std::uint32_t size : ManyAdder::calls) EXPECT_TRUE(size >= 2 && size <= 64);
}

TEST(StepMany, AnExceptionIsThatOfAllItsEnvironments) {
  Fixture<ManyAdder> many(AutoresetMode::kNextStep);
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

}  // namespace step_many_test
}  // namespace engine::testing
