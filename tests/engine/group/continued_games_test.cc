// Games of several episodes: which resets continue a game and which begin one, in every autoreset
// mode, and the effect on the statistics, the step limit and failures.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_group.h"
#include "engine/group/env_group_of.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace continued_games_test {

// Actions: 0 scores a point, 1 ends the episode but not the game, 2 ends the game, 3 throws, 4
// makes the next Continue() find the game ended.
class Game {
 public:
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() {
    return {{.name = "first", .default_value = false, .doc = "", .low = {}, .high = {}}};
  }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(5);
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Game(const Config&) {}
  void Seed(std::uint64_t, Rng&) {}
  void Reset(const Start&, Rng&) {
    ++games_;
    episodes_ = 1;
    ends_ = false;
  }
  bool Continue(Rng&) {
    if (ends_) return false;
    ++episodes_;
    return true;
  }
  StepResult Step(ActionView action, Rng&) {
    switch (action.Index()) {
      case 1:
        return {.terminated = true, .game_continues = true};
      case 2:
        return {.terminated = true};
      case 3:
        throw std::runtime_error("asked to");
      case 4:
        ends_ = true;
        return {.terminated = true, .game_continues = true};
      default:
        return {.reward = 1.0};
    }
  }
  // 100 times the games of this instance plus the episodes of the current game: 302 is the second
  // episode of the third game.
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = games_ * 100 + episodes_; }

 private:
  std::int64_t games_ = 0;
  std::int64_t episodes_ = 0;
  bool ends_ = false;
};

static_assert(ContinuesGames<Game>);

// A group of the class itself, or a group that steps the class through the C interface of plug-ins.
std::unique_ptr<EnvGroup> MakeGroup(bool through_abi, const GroupConfig& config) {
  static const envpool_task kTask = AbiClass<Game>::Functions();
  const ParamValues options({}, {}, "option", "Game");
  if (!through_abi) return std::make_unique<EnvGroupOf<Game>>(options, config);
  return std::make_unique<AbiGroup>(kTask, DescribeAbiTask(kTask, options), options, config);
}

// A group of one environment, and a batch of one row with statistics.
class Fixture {
 public:
  Fixture(bool abi, AutoresetMode autoreset, std::int64_t limit = 0)
      : owned(MakeGroup(abi, {.num_envs = 1,
                              .autoreset = autoreset,
                              .max_episode_steps = limit,
                              .records_episodes = true})),
        group(*owned) {
    out.frame = {.obs = &obs_column, .elapsed_step = &elapsed};
    out.final_frame = {.obs = &final_column, .elapsed_step = &final_elapsed};
    out.reward = &reward;
    out.terminated = &terminated;
    out.truncated = &truncated;
    out.env_id = &env_id;
    out.final_mask = &final_mask;
    out.episode = {
        .total_reward = &total_reward, .length = &length, .seconds = &seconds, .mask = &mask};
    group.Construct(0, 1);
    Reset();
  }

  void Reset(const ResetStart* start = nullptr) {
    group.ResetRows({.end = 1}, {.start = start}, out, StopCondition::Never(), counts);
  }
  void ResetWithSeed(std::uint64_t seed) {
    group.ResetRows({.end = 1}, {.seed_by_env = true, .first_seed = seed}, out,
                    StopCondition::Never(), counts);
  }
  void Step(std::int64_t action) {
    const ActionSlots slots{.base = reinterpret_cast<const std::byte*>(&action),
                            .bytes = sizeof(action)};
    group.StepRows({.end = 1}, slots, out, StopCondition::Never(), counts);
  }

  const std::unique_ptr<EnvGroup> owned;
  EnvGroup& group;
  BatchView out;
  StepCounts counts;
  std::int64_t obs = 0, final_obs = 0, length = 0;
  std::int32_t elapsed = 0, final_elapsed = 0, env_id = 0;
  double reward = 0.0, total_reward = 0.0, seconds = 0.0;
  bool terminated = false, truncated = false, final_mask = false, mask = false;

 private:
  Column obs_column{reinterpret_cast<std::byte*>(&obs), sizeof(obs)};
  Column final_column{reinterpret_cast<std::byte*>(&final_obs), sizeof(final_obs)};
};

constexpr AutoresetMode kModes[] = {AutoresetMode::kNextStep, AutoresetMode::kSameStep,
                                    AutoresetMode::kDisabled};

// Ends an episode with `action` and begins the next one as `mode` requires.
void End(Fixture& fixture, AutoresetMode mode, std::int64_t action) {
  fixture.Step(action);
  if (mode == AutoresetMode::kNextStep) fixture.Step(0);
  if (mode == AutoresetMode::kDisabled) fixture.Reset();
}

TEST(ContinuedGames, GoOnInEveryMode) {
  for (const bool abi : {false, true}) {
    for (const AutoresetMode mode : kModes) {
      Fixture fixture(abi, mode);
      EXPECT_EQ(fixture.obs, 101);
      fixture.Step(0);
      End(fixture, mode, 1);
      EXPECT_EQ(fixture.obs, 102);
      EXPECT_EQ(fixture.elapsed, 0);
      End(fixture, mode, 1);
      EXPECT_EQ(fixture.obs, 103);
      End(fixture, mode, 2);
      EXPECT_EQ(fixture.obs, 201) << "the game was over";
      EXPECT_EQ(fixture.counts.episodes, 3U);
      EXPECT_EQ(fixture.counts.games, 1U);
      EXPECT_EQ(fixture.counts.resets, 4U);
      EXPECT_EQ(fixture.group.status(0), EnvStatus::kReadyToStep);
    }
  }
}

TEST(ContinuedGames, TheLastFrameIsThatOfTheEpisode) {
  for (const bool abi : {false, true}) {
    Fixture fixture(abi, AutoresetMode::kSameStep);
    fixture.Step(0);
    fixture.Step(1);
    EXPECT_TRUE(fixture.final_mask);
    EXPECT_EQ(fixture.final_obs, 101);
    EXPECT_EQ(fixture.final_elapsed, 2);
    fixture.Step(1);
    EXPECT_EQ(fixture.final_obs, 102);
    EXPECT_EQ(fixture.final_elapsed, 1) << "steps of the episode, not of the game";
  }
}

TEST(ContinuedGames, StatisticsAreThoseOfTheGame) {
  for (const bool abi : {false, true}) {
    for (const AutoresetMode mode : kModes) {
      Fixture fixture(abi, mode);
      for (int episode = 0; episode < 3; ++episode) {
        fixture.Step(0);
        fixture.Step(0);
        fixture.Step(1);
        EXPECT_TRUE(fixture.terminated);
        EXPECT_FALSE(fixture.mask) << "a life is not a game";
        if (mode == AutoresetMode::kNextStep) fixture.Step(0);
        if (mode == AutoresetMode::kDisabled) fixture.Reset();
      }
      fixture.Step(0);
      fixture.Step(2);
      EXPECT_TRUE(fixture.mask);
      EXPECT_EQ(fixture.total_reward, 7.0);
      EXPECT_EQ(fixture.length, 11);
      if (mode != AutoresetMode::kSameStep) fixture.Reset();
      fixture.Step(2);
      EXPECT_EQ(fixture.total_reward, 0.0) << "the next game's";
      EXPECT_EQ(fixture.length, 1);
    }
  }
}

TEST(ContinuedGames, TheStepLimitIsThatOfTheGameAndEndsIt) {
  for (const bool abi : {false, true}) {
    for (const AutoresetMode mode : kModes) {
      Fixture fixture(abi, mode, 4);
      fixture.Step(0);
      End(fixture, mode, 1);
      fixture.Step(0);
      EXPECT_FALSE(fixture.truncated);
      // The episode ends in the last step that the limit allows for the game.
      fixture.Step(1);
      EXPECT_TRUE(fixture.truncated);
      EXPECT_TRUE(fixture.terminated);
      EXPECT_TRUE(fixture.mask);
      EXPECT_EQ(fixture.length, 4);
      if (mode == AutoresetMode::kNextStep) fixture.Step(0);
      if (mode == AutoresetMode::kDisabled) fixture.Reset();
      EXPECT_EQ(fixture.obs, 201);
    }
  }
}

TEST(ContinuedGames, AGameThatEndsWhileItIsContinuedIsReportedByTheReset) {
  for (const bool abi : {false, true}) {
    for (const AutoresetMode mode : kModes) {
      Fixture fixture(abi, mode);
      fixture.Step(0);
      End(fixture, mode, 4);
      EXPECT_EQ(fixture.obs, 201);
      EXPECT_EQ(fixture.elapsed, 0);
      EXPECT_TRUE(fixture.mask);
      EXPECT_EQ(fixture.total_reward, 1.0);
      EXPECT_EQ(fixture.length, 2);
      fixture.Step(0);
      EXPECT_FALSE(fixture.mask);
    }
  }
}

TEST(ContinuedGames, AResetByTheUserContinuesOnlyWhereAnEndCallsForIt) {
  for (const bool abi : {false, true}) {
    for (const AutoresetMode mode : kModes) {
      Fixture fixture(abi, mode);
      fixture.Step(0);
      fixture.Reset();
      EXPECT_EQ(fixture.obs, 201) << "in the middle of an episode";
      // The statistics of the previous game are dropped.
      fixture.Step(1);
      fixture.Reset();
      EXPECT_EQ(fixture.obs, mode == AutoresetMode::kDisabled ? 202 : 301);
      fixture.Step(2);
      EXPECT_EQ(fixture.length, mode == AutoresetMode::kDisabled ? 2 : 1);
      EXPECT_EQ(fixture.total_reward, 0.0);
    }
  }
}

TEST(ContinuedGames, AResetWithASeedOrOptionsBeginsAGame) {
  for (const bool abi : {false, true}) {
    Fixture fixture(abi, AutoresetMode::kDisabled);
    fixture.Step(1);
    fixture.ResetWithSeed(3);
    EXPECT_EQ(fixture.obs, 201);
    fixture.Step(1);
    const auto start = fixture.group.ParseStart(
        ParamValues(Game::ResetOptions(), {{"first", true}}, "reset option", "Game"));
    fixture.Reset(start.get());
    EXPECT_EQ(fixture.obs, 301);
    EXPECT_EQ(fixture.elapsed, 0);
    fixture.Step(1);
    fixture.Reset();
    EXPECT_EQ(fixture.obs, 302);
  }
}

TEST(ContinuedGames, AFailureEndsTheGame) {
  for (const bool abi : {false, true}) {
    for (const AutoresetMode mode : kModes) {
      Fixture fixture(abi, mode);
      End(fixture, mode, 1);
      EXPECT_EQ(fixture.obs, 102);
      fixture.Step(3);
      EXPECT_EQ(fixture.group.FailureOf(0), std::string("asked to"));
      fixture.Reset();
      EXPECT_EQ(fixture.obs, 101) << "of a new instance";
      EXPECT_EQ(fixture.group.status(0), EnvStatus::kReadyToStep);
    }
  }
}

}  // namespace continued_games_test
}  // namespace engine::testing
