#include "engine/batch/row_staging.h"

#include <cstddef>
#include <string>

#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/batch/player_staging.h"

namespace engine {

RowStaging::RowStaging(const EnvSpec& spec, std::uint32_t num_rows, bool keeps_float64,
                       std::uint32_t rows_per_env) {
  for (const SpaceSpec* leaf : spec.action.Leaves()) {
    const bool keeps =
        keeps_float64 && leaf->kind == SpaceKind::kBox && leaf->dtype == DType::kFloat32;
    leaves_.push_back(std::make_unique<ActionStaging>(*leaf, spec.action_out_of_bounds, num_rows,
                                                      keeps, rows_per_env));
    columns_.push_back(leaves_.back()->column());
  }
}

void RowStaging::Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) {
  const ArrayView* views = &actions;
  std::size_t given = 1;
  if (actions.tree != nullptr) {
    const auto& leaves = *static_cast<const ActionLeaves*>(actions.tree);
    views = leaves.data();
    given = leaves.size();
  }
  ENGINE_CHECK(given == leaves_.size());
  for (std::size_t leaf = 0; leaf < given; ++leaf) leaves_[leaf]->Stage(views[leaf], ids, n);
}

namespace {

// `rows_per_env`: 0 without players.
std::unique_ptr<ActionSink> MakeRows(const GroupState& group, std::uint32_t num_rows,
                                     std::uint32_t rows_per_env) {
  const EnvSpec& spec = group.spec();
  if (group.steps_row())
    return std::make_unique<RowStaging>(spec, num_rows, group.steps_float64(), rows_per_env);
  return std::make_unique<ActionStaging>(spec.action, spec.action_out_of_bounds, num_rows,
                                         group.steps_float64(), rows_per_env);
}

}  // namespace

std::shared_ptr<ActionSink> MakeStaging(const GroupState& group) {
  const PlayerTable* const players = group.players();
  if (players == nullptr) return MakeRows(group, group.num_envs(), 0);
  const auto num_players = static_cast<std::uint32_t>(players->num_players());
  if (group.num_envs() > UINT32_MAX / num_players) {
    throw Error(ErrorKind::kOption, "num_envs: expected at most " +
                                        std::to_string(UINT32_MAX / num_players) +
                                        " environments of " + std::to_string(num_players) +
                                        " players, got " + std::to_string(group.num_envs()));
  }
  return std::make_shared<PlayerStaging>(
      MakeRows(group, group.num_envs() * num_players, num_players), *players, group.num_envs());
}

}  // namespace engine
