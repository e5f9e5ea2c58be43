#include "engine/env/env_group.h"

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"

namespace engine {

namespace {

bool IsFloat32Box(const SpaceSpec& space) {
  return space.kind == SpaceKind::kBox && space.dtype == DType::kFloat32;
}

// The class of an environment must fit its action space.
void CheckActions(const SpaceSpec& action, const EnvTraits& traits) {
  if (!action.is_leaf() && !traits.steps_row) {
    throw Error(ErrorKind::kInternal,
                "an environment whose Step() takes an ActionView has an action space with "
                "children: expected a Step() that takes an ActionRow");
  }
  if (!traits.steps_float64) return;
  if (!traits.steps_row && !IsFloat32Box(action)) {
    throw Error(ErrorKind::kInternal,
                "an environment with StepFloat64() has an action space that is not a float32 box");
  }
  const std::vector<const SpaceSpec*> leaves = action.Leaves();
  if (std::none_of(leaves.begin(), leaves.end(),
                   [](const SpaceSpec* leaf) { return IsFloat32Box(*leaf); })) {
    throw Error(ErrorKind::kInternal,
                "an environment with kKeepsFloat64 has an action space without a float32 box");
  }
}

}  // namespace

EnvGroup::EnvGroup(const EnvSpec& spec, const GroupConfig& config, EnvTraits traits)
    : spec_(spec),
      config_(config),
      rngs_(config.num_envs),
      pending_seeds_(traits.receives_seed ? config.num_envs : 0),
      control_({.num_envs = config.num_envs,
                .autoreset = config.autoreset,
                .max_episode_steps = config.max_episode_steps,
                .records_episodes = config.records_episodes}),
      never_waits_(traits.never_waits),
      steps_float64_(traits.steps_float64),
      steps_row_(traits.steps_row) {
  CheckActions(spec_.action, traits);
  for (const SpaceSpec* leaf : spec_.observation.Leaves())
    leaf_bytes_.push_back(leaf->leaf_bytes());
}

void EnvGroup::SeedFromEntropy(std::uint64_t high, std::uint64_t low) {
  for (std::uint32_t env = 0; env < config_.num_envs; ++env) {
    rngs_[env] = Rng::FromEntropy({high, low, env});
    if (!pending_seeds_.empty()) pending_seeds_[env] = rngs_[env].NextUint64();
  }
}

std::uint32_t EnvGroup::CallRows(const EnvRange& /*range*/, const void* /*call*/,
                                 const Pace& /*pace*/, StepCounts& /*counts*/) {
  throw Error(ErrorKind::kInternal, "environments of this kind have no methods to call");
}

void EnvGroup::WriteFailedRow(std::uint32_t env, const EpisodeProgress& progress, std::uint32_t row,
                              const BatchView& out) const {
  for (std::size_t leaf = 0; leaf < leaf_bytes_.size(); ++leaf) {
    std::memset(out.frame.obs[leaf].Row(row), 0, leaf_bytes_[leaf]);
  }
  ClearInfos(out.frame, row);
  out.frame.elapsed_step[row] = progress.elapsed_step();
  control_.WriteFailed(env, row, out);
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
