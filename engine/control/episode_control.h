// The rules of an episode, the same for every kind of executor: the step limit, the autoreset
// modes, statistics of episodes, failed environments, dm_env's discount. EpisodeControl does not
// depend on how an environment is stepped. The code that steps environment `env` calls it like
// this:
//
//   Outcome outcome;
//   if (progress.reset_due) {
//     // Reset the environment.
//     control.Restarted(env, progress, counts);
//     outcome.after_reset = true;
//   } else {
//     // Step the environment.
//     if (control.Stepped(env, progress, result, score, outcome, counts) ==
//         AfterStep::kRestart) {
//       // Keep its frame as the episode's last one, then reset the environment.
//       control.Restarted(env, progress, counts);
//     }
//   }
//   control.WriteOutcome(env, row, outcome, columns);
//
// If the environment throws, Failed() replaces the remaining calls. The caller stores the
// EpisodeProgress with the environment.
//
// A game may consist of several episodes (StepResult::game_continues). If a reset continues a game
// that is not over, call Continued() instead of Restarted(). If the game ends during such a reset,
// call GameEnded() and then Restarted().
//
// Threads. One thread at a time holds an environment. The mechanism that passes it between threads
// (a queue, the end of a job) orders their calls. Only the holder calls the methods that take an
// `env`, except FailureOf(). Holders of different environments may call at the same time. Only
// Failed() and FailureOf() synchronize, by a mutex that they share.
#ifndef ENGINE_CONTROL_EPISODE_CONTROL_H_
#define ENGINE_CONTROL_EPISODE_CONTROL_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/control/step_columns.h"
#include "engine/control/step_result.h"

namespace engine {

enum class AutoresetMode : std::uint8_t {
  kNextStep,  // the step after an episode's end resets; its action is ignored
  kSameStep,  // the step that ends an episode also resets; final_frame keeps the last frame
  kDisabled,  // the user resets
};

// The reasons why an environment cannot be stepped; 0: none.
enum EnvStatus : std::uint8_t {
  kReadyToStep = 0,
  kNeverReset = 1,
  kFailed = 2,       // an exception left it in an undefined state
  kEpisodeOver = 4,  // autoreset is disabled and its episode has ended
};

// Counts of a call, for telemetry and for the pool's error handling.
struct StepCounts {
  std::uint64_t steps = 0;     // Step calls; an automatic reset in NextStep is not a step
  std::uint64_t episodes = 0;  // episodes that ended
  std::uint64_t games = 0;     // games that ended: episodes, unless a game has several
  std::uint64_t resets = 0;    // resets, automatic ones included
  std::uint64_t failures = 0;  // environments that threw

  void Add(const StepCounts& other) {
    steps += other.steps;
    episodes += other.episodes;
    games += other.games;
    resets += other.resets;
    failures += other.failures;
  }
};

// The result of a step before it is written into a row.
struct Outcome {
  double reward = 0.0;
  bool terminated = false;
  bool truncated = false;
  bool after_reset = false;
  bool failed = false;
  // SameStep: the step ended an episode; a final frame belongs to the row.
  bool pending_final_frame = false;
  // A whole game ended, at the step or in the reset: the row has its statistics.
  bool game_over = false;
  // As in StepResult.
  bool report_as_terminated = false;
  bool zero_discount = false;
};

// Per-environment state that every step reads and writes. It is stored with the environment and not
// in a separate array: when threads share a batch, an environment moves between processors, and its
// state moves with it (CartPole with 256 environments on two processors: 8 % faster). Written by
// the holder.
struct EpisodeProgress {
  std::int64_t elapsed = 0;  // steps since the latest reset that began a game
  // NextStep: the next step resets. Initially true, because a step may come before the first reset
  // (dm_env); that step then begins an episode.
  bool reset_due = true;
  // There is no game that a reset could continue.
  bool game_over = true;
  // Steps of the game before the latest reset, saturated; 0 unless that reset continued the game.
  std::int32_t elapsed_before = 0;

  // Steps since the latest reset, saturated, as in the batch's column.
  std::int32_t elapsed_step() const { return Saturated(elapsed - elapsed_before); }

  static std::int32_t Saturated(std::int64_t steps) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(steps, std::numeric_limits<std::int32_t>::max()));
  }
};

// The position of an environment in its episode, for a saved state. It does not depend on the
// autoreset mode.
struct EpisodeState {
  std::int64_t elapsed = 0;         // as in EpisodeProgress
  std::int32_t elapsed_before = 0;  // likewise
  bool game_over = false;           // likewise
  // The latest step has ended the episode, and no reset has followed.
  bool episode_over = false;
  // Statistics of the game so far; zero unless they are recorded.
  bool has_statistics = false;
  double total_reward = 0.0;
  double seconds = 0.0;
};

// The next action of the caller of Stepped().
enum class AfterStep : std::uint8_t {
  kNothing,
  kRestart,  // write the current frame as the episode's final frame, then reset
};

struct EpisodeRules {
  std::uint32_t num_envs = 1;
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  std::int64_t max_episode_steps = 0;  // 0: no limit
  bool records_episodes = false;       // statistics of episodes are kept
};

class EpisodeControl {
 public:
  explicit EpisodeControl(const EpisodeRules& rules);
  EpisodeControl(const EpisodeControl&) = delete;
  EpisodeControl& operator=(const EpisodeControl&) = delete;

  // Counts a step of `env` that returned `result`; `score` is the reward for statistics, used if
  // records_episodes().
  // Requires: `outcome` is a new object; no reset was due.
  // Guarantees: `outcome` is valid for WriteOutcome(), provided the caller carries out the returned
  // action.
  // Always inlined, as is WriteOutcome(): whether the compiler does so by itself depends on the
  // rest of the module, and a call takes 25 instructions of a light step.
  [[gnu::always_inline]] AfterStep Stepped(std::uint32_t env, EpisodeProgress& progress,
                                           const StepResult& result, double score, Outcome& outcome,
                                           StepCounts& counts) {
    ++counts.steps;
    ++progress.elapsed;
    if (records_episodes_) returns_[env] += score;
    outcome.reward = result.reward;
    outcome.terminated = result.terminated;
    outcome.truncated = result.truncated || progress.elapsed >= step_limit_;
    outcome.report_as_terminated = result.report_as_terminated;
    outcome.zero_discount = result.zero_discount;
    if (!outcome.terminated && !outcome.truncated) [[likely]]
      return AfterStep::kNothing;
    ++counts.episodes;
    progress.game_over = outcome.truncated || !result.game_continues;
    if (progress.game_over) GameEnded(env, progress, outcome, counts);
    switch (autoreset_) {
      case AutoresetMode::kNextStep:
        progress.reset_due = true;
        break;
      case AutoresetMode::kDisabled:
        status_[env] |= EnvStatus::kEpisodeOver;
        break;
      case AutoresetMode::kSameStep:
        outcome.pending_final_frame = true;
        outcome.after_reset = true;
        return AfterStep::kRestart;
    }
    return AfterStep::kNothing;
  }

  // A faster version of Stepped() for a step whose result is only a reward. If the episode
  // continues, counts the step and returns true. Otherwise changes nothing and returns false; the
  // caller then calls Stepped().
  bool CountIfContinues(std::uint32_t env, EpisodeProgress& progress, double score,
                        StepCounts& counts) {
    if (progress.elapsed + 1 >= step_limit_) return false;
    ++progress.elapsed;
    ++counts.steps;
    if (records_episodes_) returns_[env] += score;
    return true;
  }

  // Records that `env` has been reset. Its previous state does not matter.
  void Restarted(std::uint32_t env, EpisodeProgress& progress, StepCounts& counts) {
    progress = {.elapsed = 0, .reset_due = false, .game_over = false, .elapsed_before = 0};
    if (records_episodes_) BeginEpisode(env);
    MarkReady(env);
    ++counts.resets;
  }

  // Records that `env` has been reset and that its game continues.
  // Requires: the game is not over.
  void Continued(std::uint32_t env, EpisodeProgress& progress, StepCounts& counts) {
    progress.reset_due = false;
    progress.elapsed_before = EpisodeProgress::Saturated(progress.elapsed);
    MarkReady(env);
    ++counts.resets;
  }

  // Records that the game of `env` has ended. Its statistics go into the row of `outcome`.
  void GameEnded(std::uint32_t env, const EpisodeProgress& progress, Outcome& outcome,
                 StepCounts& counts) {
    outcome.game_over = true;
    ++counts.games;
    if (records_episodes_) EndEpisode(env, progress.elapsed);
  }

  // Records that `env` threw an exception with the message `what`. `env` cannot be stepped before
  // Restarted().
  void Failed(std::uint32_t env, const char* what, StepCounts& counts) noexcept;

  // The position of `env` in its episode.
  // Requires: `env` has been reset and has not failed.
  EpisodeState StateOf(std::uint32_t env, const EpisodeProgress& progress) const;
  // Sets `env` to a position in an episode. Its previous state does not matter.
  void Restore(std::uint32_t env, const EpisodeState& state, EpisodeProgress& progress);

  // Sets the EnvStatus bits of an environment that another process or group steps.
  // Requires: `status` does not contain kFailed, which only Failed() sets.
  void SetStatus(std::uint32_t env, std::uint8_t status) { status_[env] = status; }

  // Writes row `row` of an environment that has not failed.
  [[gnu::always_inline]] void WriteOutcome(std::uint32_t env, std::uint32_t row,
                                           const Outcome& outcome, const StepColumns& out) const {
    out.reward[row] = outcome.reward;
    out.terminated[row] = outcome.terminated;
    out.truncated[row] = outcome.truncated;
    out.env_id[row] = static_cast<std::int32_t>(env);
    if (out.episode.mask != nullptr) {
      out.episode.mask[row] = outcome.game_over;
      if (outcome.game_over) [[unlikely]]
        WriteEpisode(out.episode, env, row);
    }
    if (out.discount != nullptr) {
      // A terminal signal that does not end the episode shows only in the discount.
      out.discount[row] =
          outcome.terminated || outcome.report_as_terminated || outcome.zero_discount ? 0.0 : 1.0;
    } else if (outcome.report_as_terminated) {
      out.terminated[row] = true;
    }
    if (out.final_mask != nullptr) out.final_mask[row] = outcome.pending_final_frame;
  }
  // Writes rows [first_row, first_row + n) of steps that end no episode, except the reward and the
  // elapsed steps. Row first_row + k is that of environment env_of(k).
  template <class EnvOf>
  static void WriteContinuing(std::uint32_t n, const EnvOf& env_of, std::uint32_t first_row,
                              const StepColumns& out) {
    std::fill_n(out.terminated + first_row, n, false);
    std::fill_n(out.truncated + first_row, n, false);
    std::int32_t* const env_id = out.env_id + first_row;
    for (std::uint32_t k = 0; k < n; ++k) env_id[k] = static_cast<std::int32_t>(env_of(k));
    if (out.episode.mask != nullptr) std::fill_n(out.episode.mask + first_row, n, false);
    if (out.discount != nullptr) std::fill_n(out.discount + first_row, n, 1.0);
    if (out.final_mask != nullptr) std::fill_n(out.final_mask + first_row, n, false);
  }
  // Writes row `row` of an environment that failed.
  void WriteFailed(std::uint32_t env, std::uint32_t row, const StepColumns& out) const;

  bool failed(std::uint32_t env) const { return (status_[env] & EnvStatus::kFailed) != 0; }
  std::uint8_t status(std::uint32_t env) const { return status_[env]; }  // EnvStatus bits
  const std::vector<std::uint8_t>& statuses() const { return status_; }
  // The message of the latest exception of `env`; empty if there was none. Any thread.
  std::string FailureOf(std::uint32_t env) const;

  bool records_episodes() const { return records_episodes_; }

 private:
  // The start of an environment's current game, and the statistics of its latest game that ended.
  struct EpisodeRecord {
    std::uint64_t began = 0;  // by the TickClock
    double total_reward = 0.0;
    std::int64_t length = 0;
    double seconds = 0.0;
  };

  // Writes the status only if it changes, because other threads read neighbouring elements.
  void MarkReady(std::uint32_t env) {
    if (status_[env] != EnvStatus::kReadyToStep) status_[env] = EnvStatus::kReadyToStep;
  }
  void BeginEpisode(std::uint32_t env);
  void EndEpisode(std::uint32_t env, std::int64_t length);
  void WriteEpisode(const EpisodeColumns& out, std::uint32_t env, std::uint32_t row) const;

  const std::int64_t step_limit_;
  const AutoresetMode autoreset_;
  const bool records_episodes_;
  // Indexed by environment; written by the holder.
  std::vector<std::uint8_t> status_;     // EnvStatus bits
  std::vector<double> returns_;          // of the current games; empty if they are not recorded
  std::vector<EpisodeRecord> episodes_;  // as returns_

  mutable Mutex failures_mutex_;
  std::unordered_map<std::uint32_t, std::string> failures_ ENGINE_GUARDED_BY(failures_mutex_);
};

}  // namespace engine

#endif  // ENGINE_CONTROL_EPISODE_CONTROL_H_
