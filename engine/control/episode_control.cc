#include "engine/control/episode_control.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "engine/base/tick_clock.h"

namespace engine {

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
  const std::lock_guard lock(failures_mutex_);
  try {
    failures_[env] = what;
  } catch (const std::bad_alloc&) {
    failures_.erase(env);  // no message is better than that of an earlier failure
  }
}

std::string EpisodeControl::FailureOf(std::uint32_t env) const {
  const std::lock_guard lock(failures_mutex_);
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

void EpisodeControl::BeginEpisode(std::uint32_t env) {
  returns_[env] = 0.0;
  episodes_[env].began = TickClock::Now();
}

void EpisodeControl::EndEpisode(std::uint32_t env, std::int64_t length) {
  EpisodeRecord& episode = episodes_[env];
  // At least 0, even if the clocks of two processors differ.
  const auto ticks = static_cast<std::int64_t>(TickClock::Now() - episode.began);
  const double ns =
      TickClock::Nanoseconds(static_cast<std::uint64_t>(std::max<std::int64_t>(ticks, 0)));
  episode.total_reward = returns_[env];
  episode.length = length;
  episode.seconds = std::round(ns / 1e3) / 1e6;
}

void EpisodeControl::WriteEpisode(const EpisodeColumns& out, std::uint32_t env,
                                  std::uint32_t row) const {
  out.total_reward[row] = episodes_[env].total_reward;
  out.length[row] = episodes_[env].length;
  out.seconds[row] = episodes_[env].seconds;
}

}  // namespace engine
