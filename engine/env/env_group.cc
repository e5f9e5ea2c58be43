#include "engine/env/env_group.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/check.h"
#include "engine/base/tick_clock.h"

namespace engine {

EnvGroup::EnvGroup(const EnvSpec& spec, const GroupConfig& config, bool tells_seeds)
    : spec_(spec),
      config_(config),
      rngs_(config.num_envs),
      seeds_(tells_seeds ? config.num_envs : 0),
      status_(config.num_envs, EnvStatus::kNeverReset),
      returns_(config.records_episodes ? config.num_envs : 0),
      episodes_(config.records_episodes ? config.num_envs : 0) {
  for (const SpaceSpec* leaf : spec_.observation.Leaves())
    leaf_bytes_.push_back(leaf->leaf_bytes());
}

void EnvGroup::SeedFromEntropy(std::uint64_t high, std::uint64_t low) {
  for (std::uint32_t env = 0; env < config_.num_envs; ++env) {
    rngs_[env] = Rng::FromEntropy({high, low, env});
    if (!seeds_.empty()) seeds_[env] = rngs_[env].NextUint64();
  }
}

std::string EnvGroup::FailureOf(std::uint32_t env) const {
  const std::lock_guard lock(failures_mutex_);
  const auto found = failures_.find(env);
  return found == failures_.end() ? std::string() : found->second;
}

void EnvGroup::MarkFailed(std::uint32_t env, const char* what) {
  status_[env] |= EnvStatus::kFailed;
  const std::lock_guard lock(failures_mutex_);
  failures_[env] = what;
}

void EnvGroup::ZeroFrame(const FrameColumns& frame, std::uint32_t row) const {
  for (std::size_t leaf = 0; leaf < leaf_bytes_.size(); ++leaf) {
    std::memset(frame.obs[leaf].Row(row), 0, leaf_bytes_[leaf]);
  }
  ClearInfos(frame, row);
  frame.elapsed_step[row] = 0;
}

void EnvGroup::ZeroRow(const BatchView& out, std::uint32_t env, std::uint32_t row,
                       std::int32_t elapsed_step) const {
  ZeroFrame(out.frame, row);
  out.frame.elapsed_step[row] = elapsed_step;
  out.reward[row] = 0.0;
  out.terminated[row] = false;
  out.truncated[row] = false;
  out.env_id[row] = static_cast<std::int32_t>(env);
  if (out.discount != nullptr) out.discount[row] = 1.0;
  if (out.final_mask != nullptr) out.final_mask[row] = false;
  if (out.episode.mask != nullptr) out.episode.mask[row] = false;
}

void EnvGroup::BeginEpisode(std::uint32_t env) {
  returns_[env] = 0.0;
  episodes_[env].began = TickClock::Now();
}

void EnvGroup::EndEpisode(std::uint32_t env, std::int64_t length) {
  EpisodeRecord& episode = episodes_[env];
  // Where the clocks of two processors are apart, not less than nothing.
  const auto ticks = static_cast<std::int64_t>(TickClock::Now() - episode.began);
  const double ns =
      static_cast<double>(std::max<std::int64_t>(ticks, 0)) * TickClock::NanosecondsPerTick();
  episode.total_reward = returns_[env];
  episode.length = length;
  episode.seconds = std::round(ns / 1e3) / 1e6;
}

void EnvGroup::WriteEpisode(const EpisodeColumns& out, std::uint32_t env, std::uint32_t row) const {
  out.total_reward[row] = episodes_[env].total_reward;
  out.length[row] = episodes_[env].length;
  out.seconds[row] = episodes_[env].seconds;
}

void EnvGroup::ClearInfos(const FrameColumns& frame, std::uint32_t row) const {
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    std::memset(frame.info[field].Row(row), 0, frame.info[field].row_bytes);
    *reinterpret_cast<bool*>(frame.info_mask[field].Row(row)) = false;
  }
}

void EnvGroup::UnmarkInfos(const FrameColumns& frame, std::uint32_t row) const {
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    *reinterpret_cast<bool*>(frame.info_mask[field].Row(row)) = false;
  }
}

void EnvGroup::CopyFrame(const FrameColumns& from, std::uint32_t from_row, const FrameColumns& to,
                         std::uint32_t to_row) const {
  for (std::size_t leaf = 0; leaf < leaf_bytes_.size(); ++leaf) {
    std::memcpy(to.obs[leaf].Row(to_row), from.obs[leaf].Row(from_row), leaf_bytes_[leaf]);
  }
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    std::memcpy(to.info[field].Row(to_row), from.info[field].Row(from_row),
                from.info[field].row_bytes);
    std::memcpy(to.info_mask[field].Row(to_row), from.info_mask[field].Row(from_row), sizeof(bool));
  }
  to.elapsed_step[to_row] = from.elapsed_step[from_row];
}

}  // namespace engine
