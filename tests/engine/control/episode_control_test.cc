// The rules of an episode, without an environment: the tests make up step results and compare what
// is written into a batch field by field.
#include "engine/control/episode_control.h"

#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace episode_control_test {

constexpr std::uint32_t kRows = 4;

// A batch whose columns hold values that no rule writes.
class Columns {
 public:
  explicit Columns(bool discounts = false, bool final_frames = false) {
    view.reward = reward;
    view.terminated = terminated;
    view.truncated = truncated;
    view.env_id = env_id;
    if (discounts) view.discount = discount;
    if (final_frames) view.final_mask = final_mask;
  }
  void RecordEpisodes() {
    view.episode = {
        .total_reward = total_reward, .length = length, .seconds = seconds, .mask = mask};
  }

  StepColumns view;
  double reward[kRows] = {-7.0, -7.0, -7.0, -7.0};
  bool terminated[kRows] = {true, true, true, true};
  bool truncated[kRows] = {true, true, true, true};
  std::int32_t env_id[kRows] = {-7, -7, -7, -7};
  double discount[kRows] = {-7.0, -7.0, -7.0, -7.0};
  bool final_mask[kRows] = {true, true, true, true};
  double total_reward[kRows] = {-7.0, -7.0, -7.0, -7.0};
  std::int64_t length[kRows] = {-7, -7, -7, -7};
  double seconds[kRows] = {-7.0, -7.0, -7.0, -7.0};
  bool mask[kRows] = {true, true, true, true};
};

// The work of an executor for one environment, without the calls of its Step and Reset.
class Executor {
 public:
  explicit Executor(const EpisodeRules& rules) : control(rules), progress(rules.num_envs) {}

  void Reset(std::uint32_t env) { control.Restarted(env, progress[env], counts); }

  // Steps, or resets if a reset is due, and returns the outcome to write.
  engine::Outcome Step(std::uint32_t env, const StepResult& result = {.reward = 1.0}) {
    engine::Outcome outcome;
    if (progress[env].reset_due) {
      Reset(env);
      outcome.after_reset = true;
      return outcome;
    }
    last_elapsed = progress[env].elapsed_step() + 1;
    next = control.Stepped(env, progress[env], result, 10.0 * result.reward, outcome, counts);
    if (next == AfterStep::kRestart) Reset(env);
    return outcome;
  }

  EpisodeControl control;
  std::vector<EpisodeProgress> progress;
  StepCounts counts;
  AfterStep next = AfterStep::kNothing;
  std::int32_t last_elapsed = 0;  // of the latest step, before a restart
};

void ExpectCounts(const StepCounts& counts, std::uint64_t steps, std::uint64_t episodes,
                  std::uint64_t resets, std::uint64_t failures = 0) {
  EXPECT_EQ(counts.steps, steps);
  EXPECT_EQ(counts.episodes, episodes);
  EXPECT_EQ(counts.resets, resets);
  EXPECT_EQ(counts.failures, failures);
}

TEST(EpisodeControl, BeginsWithEnvironmentsThatWereNeverReset) {
  for (const AutoresetMode mode :
       {AutoresetMode::kNextStep, AutoresetMode::kSameStep, AutoresetMode::kDisabled}) {
    EpisodeControl control({.num_envs = 3, .autoreset = mode});
    EXPECT_EQ(control.statuses(), std::vector<std::uint8_t>(3, EnvStatus::kNeverReset));
    // dm_env: the very first step begins an episode.
    EpisodeProgress progress;
    EXPECT_TRUE(progress.reset_due);
    EXPECT_EQ(progress.elapsed_step(), 0);
    EXPECT_FALSE(control.failed(2));
    EXPECT_EQ(control.FailureOf(2), std::string());
    StepCounts counts;
    control.Restarted(1, progress, counts);
    EXPECT_FALSE(progress.reset_due);
    EXPECT_EQ(control.statuses(),
              (std::vector<std::uint8_t>{EnvStatus::kNeverReset, 0, EnvStatus::kNeverReset}));
    ExpectCounts(counts, 0, 0, 1);
  }
}

TEST(EpisodeControl, NextStepResetsAtTheStepAfterTheEnd) {
  Executor executor({.autoreset = AutoresetMode::kNextStep});
  executor.Reset(0);
  EXPECT_FALSE(executor.Step(0).terminated);
  const engine::Outcome end = executor.Step(0, {.reward = 2.0, .terminated = true});
  EXPECT_EQ(executor.next, AfterStep::kNothing);
  EXPECT_TRUE(end.terminated);
  EXPECT_FALSE(end.truncated);
  EXPECT_FALSE(end.after_reset);
  EXPECT_FALSE(end.pending_final_frame);
  EXPECT_EQ(end.reward, 2.0);
  EXPECT_TRUE(executor.progress[0].reset_due);
  // The environment may be stepped, which resets it. The row of the end shows the episode's length.
  EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
  EXPECT_EQ(executor.progress[0].elapsed_step(), 2);
  const engine::Outcome reset = executor.Step(0, {.reward = 9.0, .terminated = true});
  EXPECT_TRUE(reset.after_reset);
  EXPECT_FALSE(reset.terminated);
  EXPECT_EQ(reset.reward, 0.0);
  EXPECT_EQ(executor.progress[0].elapsed_step(), 0);
  ExpectCounts(executor.counts, 2, 1, 2);
}

TEST(EpisodeControl, NextStepIsResetByTheUserToo) {
  Executor executor({.autoreset = AutoresetMode::kNextStep});
  executor.Reset(0);
  executor.Step(0, {.terminated = true});
  executor.Reset(0);
  EXPECT_FALSE(executor.progress[0].reset_due);
  EXPECT_FALSE(executor.Step(0).after_reset);
}

TEST(EpisodeControl, SameStepRestartsAtOnce) {
  Executor executor({.autoreset = AutoresetMode::kSameStep});
  executor.Reset(0);
  executor.Step(0);
  EXPECT_EQ(executor.next, AfterStep::kNothing);
  for (const StepResult& last : {StepResult{.reward = 3.0, .terminated = true},
                                 StepResult{.reward = 3.0, .truncated = true}}) {
    const engine::Outcome end = executor.Step(0, last);
    EXPECT_EQ(executor.next, AfterStep::kRestart);
    EXPECT_EQ(end.terminated, last.terminated);
    EXPECT_EQ(end.truncated, last.truncated);
    EXPECT_TRUE(end.after_reset);
    EXPECT_TRUE(end.pending_final_frame);
    EXPECT_EQ(end.reward, 3.0);
    EXPECT_FALSE(executor.progress[0].reset_due);
    EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
    EXPECT_EQ(executor.progress[0].elapsed_step(), 0);
  }
  ExpectCounts(executor.counts, 3, 2, 3);
}

TEST(EpisodeControl, SameStepKeepsTheLengthUntilTheRestart) {
  EpisodeControl control({.autoreset = AutoresetMode::kSameStep});
  EpisodeProgress progress;
  StepCounts counts;
  control.Restarted(0, progress, counts);
  engine::Outcome first;
  control.Stepped(0, progress, {}, 0.0, first, counts);
  engine::Outcome last;
  EXPECT_EQ(control.Stepped(0, progress, {.terminated = true}, 0.0, last, counts),
            AfterStep::kRestart);
  // The number of steps that the final frame shows.
  EXPECT_EQ(progress.elapsed_step(), 2);
}

TEST(EpisodeControl, TheColumnOfElapsedStepsSaturates) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ((EpisodeProgress{.elapsed = kMax}.elapsed_step()), kMax);
  EXPECT_EQ((EpisodeProgress{.elapsed = std::int64_t{kMax} + 1}.elapsed_step()), kMax);
}

TEST(EpisodeControl, DisabledWaitsForTheUser) {
  Executor executor({.autoreset = AutoresetMode::kDisabled});
  executor.Reset(0);
  const engine::Outcome end = executor.Step(0, {.truncated = true});
  EXPECT_EQ(executor.next, AfterStep::kNothing);
  EXPECT_TRUE(end.truncated);
  EXPECT_FALSE(end.after_reset);
  EXPECT_FALSE(executor.progress[0].reset_due);
  EXPECT_EQ(executor.control.status(0), EnvStatus::kEpisodeOver);
  executor.Reset(0);
  EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
  ExpectCounts(executor.counts, 1, 1, 2);
}

TEST(EpisodeControl, TheStepLimitTruncates) {
  for (const AutoresetMode mode :
       {AutoresetMode::kNextStep, AutoresetMode::kSameStep, AutoresetMode::kDisabled}) {
    Executor executor({.autoreset = mode, .max_episode_steps = 3});
    for (int episode = 0; episode < 3; ++episode) {
      if (mode != AutoresetMode::kSameStep || episode == 0) executor.Reset(0);
      for (int step = 1; step <= 3; ++step) {
        const engine::Outcome outcome = executor.Step(0);
        EXPECT_EQ(outcome.truncated, step == 3);
        EXPECT_FALSE(outcome.terminated);
        EXPECT_EQ(executor.last_elapsed, step);
      }
    }
    EXPECT_EQ(executor.counts.episodes, 3U);
    EXPECT_EQ(executor.counts.steps, 9U);
  }
}

TEST(EpisodeControl, ANaturalEndOnTheLastAllowedStepIsBoth) {
  Executor executor({.max_episode_steps = 2});
  executor.Reset(0);
  executor.Step(0);
  const engine::Outcome end = executor.Step(0, {.terminated = true});
  EXPECT_TRUE(end.terminated);
  EXPECT_TRUE(end.truncated);
  EXPECT_EQ(executor.counts.episodes, 1U);
}

TEST(EpisodeControl, ALimitOfOneStepEndsEveryStep) {
  Executor executor({.autoreset = AutoresetMode::kSameStep, .max_episode_steps = 1});
  executor.Reset(0);
  for (int step = 0; step < 5; ++step) EXPECT_TRUE(executor.Step(0).truncated);
  ExpectCounts(executor.counts, 5, 5, 6);
}

TEST(EpisodeControl, WithoutALimitNothingIsCutShort) {
  Executor executor({});
  executor.Reset(0);
  int ended = 0;
  for (int step = 0; step < 100'000; ++step) ended += executor.Step(0).truncated ? 1 : 0;
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(executor.progress[0].elapsed_step(), 100'000);
}

TEST(EpisodeControl, EnvironmentsKnowNothingOfOneAnother) {
  Executor executor({.num_envs = 3, .max_episode_steps = 2});
  for (std::uint32_t env = 0; env < 3; ++env) executor.Reset(env);
  executor.Step(1);
  EXPECT_TRUE(executor.Step(1).truncated);
  executor.control.Failed(2, "two", executor.counts);
  EXPECT_EQ(executor.progress[0].elapsed_step(), 0);
  EXPECT_EQ(executor.progress[1].elapsed_step(), 2);
  EXPECT_FALSE(executor.progress[0].reset_due);
  EXPECT_TRUE(executor.progress[1].reset_due);
  EXPECT_EQ(executor.control.statuses(), (std::vector<std::uint8_t>{0, 0, EnvStatus::kFailed}));
}

TEST(EpisodeControl, WritesTheColumnsOfItsRowOnly) {
  const EpisodeControl control({.num_envs = 9});
  Columns columns;
  control.WriteOutcome(8, 2, {.reward = 1.5, .terminated = false, .truncated = true}, columns.view);
  EXPECT_EQ(columns.reward[2], 1.5);
  EXPECT_FALSE(columns.terminated[2]);
  EXPECT_TRUE(columns.truncated[2]);
  EXPECT_EQ(columns.env_id[2], 8);
  for (const std::uint32_t row : {0U, 1U, 3U}) {
    EXPECT_EQ(columns.reward[row], -7.0);
    EXPECT_TRUE(columns.terminated[row]);
    EXPECT_TRUE(columns.truncated[row]);
    EXPECT_EQ(columns.env_id[row], -7);
  }
  // Columns that were not requested.
  EXPECT_EQ(columns.discount[2], -7.0);
  EXPECT_TRUE(columns.final_mask[2]);
  EXPECT_TRUE(columns.mask[2]);
}

TEST(EpisodeControl, MarksRowsThatComeWithAFinalFrame) {
  const EpisodeControl control({});
  Columns columns(false, true);
  control.WriteOutcome(0, 0, {.pending_final_frame = true}, columns.view);
  control.WriteOutcome(0, 1, {.after_reset = true}, columns.view);
  EXPECT_TRUE(columns.final_mask[0]);
  EXPECT_FALSE(columns.final_mask[1]);
}

TEST(EpisodeControl, TheDiscountIsZeroAtTerminalsOnly) {
  struct Case {
    engine::Outcome outcome;
    double discount;
    bool terminated;  // as reported without a discount
  };
  const Case cases[] = {{{}, 1.0, false},
                        {{.terminated = true}, 0.0, true},
                        {{.truncated = true}, 1.0, false},
                        {{.terminated = true, .truncated = true}, 0.0, true},
                        {{.report_as_terminated = true}, 0.0, true},
                        {{.zero_discount = true}, 0.0, false},
                        {{.truncated = true, .report_as_terminated = true}, 0.0, true},
                        {{.after_reset = true}, 1.0, false}};
  const EpisodeControl control({});
  for (const Case& one : cases) {
    Columns dm(true);
    control.WriteOutcome(0, 0, one.outcome, dm.view);
    EXPECT_EQ(dm.discount[0], one.discount);
    // If there is a discount, only the discount reports an end that ends no episode.
    EXPECT_EQ(dm.terminated[0], one.outcome.terminated);
    Columns gymnasium;
    control.WriteOutcome(0, 0, one.outcome, gymnasium.view);
    EXPECT_EQ(gymnasium.terminated[0], one.terminated);
    EXPECT_EQ(gymnasium.truncated[0], one.outcome.truncated);
  }
}

TEST(EpisodeControl, AnEndThatIsReportedEndsNoEpisode) {
  for (const AutoresetMode mode :
       {AutoresetMode::kNextStep, AutoresetMode::kSameStep, AutoresetMode::kDisabled}) {
    Executor executor({.autoreset = mode});
    executor.Reset(0);
    const engine::Outcome outcome =
        executor.Step(0, {.report_as_terminated = true, .zero_discount = true});
    EXPECT_TRUE(outcome.report_as_terminated);
    EXPECT_TRUE(outcome.zero_discount);
    EXPECT_FALSE(outcome.terminated);
    EXPECT_FALSE(executor.progress[0].reset_due);
    EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
    EXPECT_EQ(executor.progress[0].elapsed_step(), 1);
    ExpectCounts(executor.counts, 1, 0, 1);
  }
}

TEST(EpisodeControl, RecordsEpisodesByTheirScore) {
  for (const AutoresetMode mode :
       {AutoresetMode::kNextStep, AutoresetMode::kSameStep, AutoresetMode::kDisabled}) {
    Executor executor({.num_envs = 2, .autoreset = mode, .records_episodes = true});
    EXPECT_TRUE(executor.control.records_episodes());
    executor.Reset(1);
    Columns columns;
    columns.RecordEpisodes();
    executor.control.WriteOutcome(1, 0, executor.Step(1, {.reward = 1.0}), columns.view);
    EXPECT_FALSE(columns.mask[0]);
    EXPECT_EQ(columns.length[0], -7);
    // In SameStep mode, WriteOutcome comes after the restart.
    const engine::Outcome end = executor.Step(1, {.reward = 2.0, .terminated = true});
    executor.control.WriteOutcome(1, 3, end, columns.view);
    EXPECT_TRUE(columns.mask[3]);
    EXPECT_EQ(columns.length[3], 2);
    EXPECT_EQ(columns.total_reward[3], 30.0);  // the score, ten times the reward
    EXPECT_LE(0.0, columns.seconds[3]);
    EXPECT_LE(columns.seconds[3], 60.0);
    // The next episode begins with a score of 0.
    if (mode != AutoresetMode::kSameStep) executor.Reset(1);
    executor.control.WriteOutcome(1, 2, executor.Step(1, {.reward = 5.0, .truncated = true}),
                                  columns.view);
    EXPECT_EQ(columns.length[2], 1);
    EXPECT_EQ(columns.total_reward[2], 50.0);
  }
}

TEST(EpisodeControl, AGameMayHaveSeveralEpisodes) {
  Executor executor({.autoreset = AutoresetMode::kDisabled, .records_episodes = true});
  executor.Reset(0);
  Columns columns;
  columns.RecordEpisodes();
  for (int life = 0; life < 3; ++life) {
    executor.Step(0, {.reward = 1.0});
    const engine::Outcome lost = executor.Step(0, {.terminated = true, .game_continues = true});
    EXPECT_TRUE(lost.terminated);
    EXPECT_FALSE(lost.game_over);
    EXPECT_FALSE(executor.progress[0].game_over);
    EXPECT_EQ(executor.progress[0].elapsed_step(), 2);
    EXPECT_EQ(executor.control.status(0), EnvStatus::kEpisodeOver);
    executor.control.WriteOutcome(0, 1, lost, columns.view);
    EXPECT_TRUE(columns.terminated[1]);
    EXPECT_FALSE(columns.mask[1]);
    executor.control.Continued(0, executor.progress[0], executor.counts);
    EXPECT_EQ(executor.progress[0].elapsed_step(), 0);
    EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
  }
  const engine::Outcome end = executor.Step(0, {.terminated = true});
  EXPECT_TRUE(end.game_over);
  EXPECT_TRUE(executor.progress[0].game_over);
  executor.control.WriteOutcome(0, 1, end, columns.view);
  EXPECT_TRUE(columns.mask[1]);
  EXPECT_EQ(columns.length[1], 7);
  EXPECT_EQ(columns.total_reward[1], 30.0);
  ExpectCounts(executor.counts, 7, 4, 4);
  executor.Reset(0);
  EXPECT_FALSE(executor.progress[0].game_over);
  EXPECT_EQ(executor.progress[0].elapsed_before, 0);
}

TEST(EpisodeControl, AGameThatIsTruncatedIsOver) {
  for (const bool by_itself : {false, true}) {
    Executor executor({.max_episode_steps = by_itself ? 0 : 1});
    executor.Reset(0);
    const engine::Outcome end =
        executor.Step(0, {.terminated = true, .game_continues = true, .truncated = by_itself});
    EXPECT_TRUE(end.game_over);
    EXPECT_TRUE(executor.progress[0].game_over);
  }
}

TEST(EpisodeControl, StepsBeforeTheLatestResetSaturate) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  Executor executor({});
  executor.progress[0] = {.elapsed = std::int64_t{kMax} + 9, .reset_due = false};
  executor.control.Continued(0, executor.progress[0], executor.counts);
  EXPECT_EQ(executor.progress[0].elapsed_before, kMax);
}

TEST(EpisodeControl, AFailureLastsUntilTheRestart) {
  Executor executor({.num_envs = 2});
  executor.Reset(0);
  executor.Step(0);
  executor.control.Failed(0, "out of fuel", executor.counts);
  EXPECT_TRUE(executor.control.failed(0));
  EXPECT_EQ(executor.control.status(0), EnvStatus::kFailed);
  EXPECT_EQ(executor.control.FailureOf(0), std::string("out of fuel"));
  EXPECT_EQ(executor.control.FailureOf(1), std::string());
  executor.control.Failed(0, "out of luck", executor.counts);
  EXPECT_EQ(executor.control.FailureOf(0), std::string("out of luck"));
  executor.Reset(0);
  EXPECT_FALSE(executor.control.failed(0));
  EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
  EXPECT_EQ(executor.progress[0].elapsed_step(), 0);
  ExpectCounts(executor.counts, 1, 0, 2, 2);
}

TEST(EpisodeControl, AFailureKeepsWhatElseHindersAStep) {
  Executor executor({.autoreset = AutoresetMode::kDisabled});
  executor.control.Failed(0, "at the first reset", executor.counts);
  EXPECT_EQ(executor.control.status(0), EnvStatus::kNeverReset | EnvStatus::kFailed);
  executor.Reset(0);
  executor.Step(0, {.terminated = true});
  executor.control.Failed(0, "at a picture", executor.counts);
  EXPECT_EQ(executor.control.status(0), EnvStatus::kEpisodeOver | EnvStatus::kFailed);
  executor.Reset(0);
  EXPECT_EQ(executor.control.status(0), EnvStatus::kReadyToStep);
}

TEST(EpisodeControl, TheRowOfAFailureIsNothing) {
  EpisodeControl control({.num_envs = 3, .records_episodes = true});
  Columns columns(true, true);
  columns.RecordEpisodes();
  control.WriteFailed(2, 1, columns.view);
  EXPECT_EQ(columns.reward[1], 0.0);
  EXPECT_FALSE(columns.terminated[1]);
  EXPECT_FALSE(columns.truncated[1]);
  EXPECT_EQ(columns.env_id[1], 2);
  EXPECT_EQ(columns.discount[1], 1.0);
  EXPECT_FALSE(columns.final_mask[1]);
  EXPECT_FALSE(columns.mask[1]);
  EXPECT_EQ(columns.env_id[0], -7);
}

TEST(EpisodeControl, HoldersOfDifferentEnvironmentsRunAtOnce) {
  constexpr int kSteps = 20'000;
  EpisodeControl control(
      {.num_envs = 8, .autoreset = AutoresetMode::kSameStep, .max_episode_steps = 5});
  EpisodeProgress progress[8];
  StepCounts counts[2];
  const auto run = [&](std::uint32_t first) {
    for (std::uint32_t env = first; env < 8; env += 2)
      control.Restarted(env, progress[env], counts[first]);
    for (int step = 0; step < kSteps; ++step) {
      for (std::uint32_t env = first; env < 8; env += 2) {
        engine::Outcome outcome;
        if (control.Stepped(env, progress[env], {.reward = 1.0}, 1.0, outcome, counts[first]) ==
            AfterStep::kRestart) {
          control.Restarted(env, progress[env], counts[first]);
        }
        if (step % 1000 == 999) {
          control.Failed(env, "now and then", counts[first]);
          control.Restarted(env, progress[env], counts[first]);
        }
      }
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  StepCounts total;
  for (const StepCounts& one : counts) total.Add(one);
  ExpectCounts(total, 8 * kSteps, 8 * kSteps / 5, 8 + 8 * kSteps / 5 + 8 * kSteps / 1000,
               8 * kSteps / 1000);
  EXPECT_EQ(control.statuses(), std::vector<std::uint8_t>(8, EnvStatus::kReadyToStep));
}

}  // namespace episode_control_test
}  // namespace engine::testing
