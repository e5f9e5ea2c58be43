#include "engine/batch/row_staging.h"

#include <cstddef>

#include "engine/base/check.h"

namespace engine {

RowStaging::RowStaging(const EnvSpec& spec, std::uint32_t num_envs, bool keeps_float64) {
  for (const SpaceSpec* leaf : spec.action.Leaves()) {
    const bool keeps =
        keeps_float64 && leaf->kind == SpaceKind::kBox && leaf->dtype == DType::kFloat32;
    leaves_.push_back(
        std::make_unique<ActionStaging>(*leaf, spec.action_out_of_bounds, num_envs, keeps));
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

std::shared_ptr<ActionSink> MakeStaging(const EnvGroup& group) {
  if (group.steps_row()) {
    return std::make_shared<RowStaging>(group.spec(), group.num_envs(), group.steps_float64());
  }
  return std::make_shared<ActionStaging>(group.spec(), group.num_envs(), group.steps_float64());
}

}  // namespace engine
