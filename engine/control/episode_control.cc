#include "engine/control/episode_control.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "engine/base/tick_clock.h"

namespace engine {
namespace {

// Time since `began` (ticks), in seconds, rounded to microseconds. At least 0, even if the clocks
// of two processors differ.
double SecondsSince(std::uint64_t began) {
  const auto ticks = static_cast<std::int64_t>(TickClock::Now() - began);
  const double ns =
      TickClock::Nanoseconds(static_cast<std::uint64_t>(std::max<std::int64_t>(ticks, 0)));
  return std::round(ns / 1e3) / 1e6;
}

}  // namespace

EpisodeControl::EpisodeControl(const EpisodeRules& rules)
    : step_limit_(rules.max_episode_steps > 0 ? rules.max_episode_steps
                                              : std::numeric_limits<std::int64_t>::max()),
      autoreset_(rules.autoreset),
      records_episodes_(rules.records_episodes),
      status_(rules.num_envs, EnvStatus::kNeverReset),
      returns_(rules.records_episodes ? rules.num_envs : 0),
      episodes_(rules.records_episodes ? rules.num_envs : 0) {}

void EpisodeControl::Failed(std::uint32_t env, const char* what, StepCounts& counts) noexcept {
  status_[env] |= EnvStatus::kFailed;
  ++counts.failures;
  const ScopedLock lock(failures_mutex_);
  try {
    failures_[env] = what;
  } catch (const std::bad_alloc&) {
    failures_.erase(env);  // no message is better than that of an earlier failure
  }
}

std::string EpisodeControl::FailureOf(std::uint32_t env) const {
  const ScopedLock lock(failures_mutex_);
  const auto found = failures_.find(env);
  return found == failures_.end() ? std::string() : found->second;
}

void EpisodeControl::WriteFailed(std::uint32_t env, std::uint32_t row,
                                 const StepColumns& out) const {
  out.reward[row] = 0.0;
  out.terminated[row] = false;
  out.truncated[row] = false;
  out.env_id[row] = static_cast<std::int32_t>(env);
  if (out.discount != nullptr) out.discount[row] = 1.0;
  if (out.final_mask != nullptr) out.final_mask[row] = false;
  if (out.episode.mask != nullptr) out.episode.mask[row] = false;
}

EpisodeState EpisodeControl::StateOf(std::uint32_t env, const EpisodeProgress& progress) const {
  EpisodeState state{
      .elapsed = progress.elapsed,
      .elapsed_before = progress.elapsed_before,
      .game_over = progress.game_over,
      .episode_over = progress.reset_due || (status_[env] & EnvStatus::kEpisodeOver) != 0,
      .has_statistics = records_episodes_};
  if (records_episodes_) {
    state.total_reward = returns_[env];
    state.seconds = SecondsSince(episodes_[env].began);
  }
  return state;
}

void EpisodeControl::Restore(std::uint32_t env, const EpisodeState& state,
                             EpisodeProgress& progress) {
  progress = {.elapsed = state.elapsed,
              .reset_due = state.episode_over && autoreset_ == AutoresetMode::kNextStep,
              .game_over = state.game_over,
              .elapsed_before = state.elapsed_before};
  const bool waits_for_reset = state.episode_over && autoreset_ == AutoresetMode::kDisabled;
  status_[env] = waits_for_reset ? EnvStatus::kEpisodeOver : EnvStatus::kReadyToStep;
  if (records_episodes_) {
    returns_[env] = state.total_reward;
    episodes_[env].began = TickClock::Now() - TickClock::Ticks(state.seconds * 1e9);
  }
}

void EpisodeControl::BeginEpisode(std::uint32_t env) {
  returns_[env] = 0.0;
  episodes_[env].began = TickClock::Now();
}

void EpisodeControl::EndEpisode(std::uint32_t env, std::int64_t length) {
  EpisodeRecord& episode = episodes_[env];
  episode.total_reward = returns_[env];
  episode.length = length;
  episode.seconds = SecondsSince(episode.began);
}

void EpisodeControl::WriteEpisode(const EpisodeColumns& out, std::uint32_t env,
                                  std::uint32_t row) const {
  out.total_reward[row] = episodes_[env].total_reward;
  out.length[row] = episodes_[env].length;
  out.seconds[row] = episodes_[env].seconds;
}

}  // namespace engine
