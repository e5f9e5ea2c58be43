// Goal vectors, drawn as the reference's _make_tasks draws them. Pure functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_GOALS_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_GOALS_H_

#include <cstddef>
#include <vector>

#include "engine/base/random_state.h"
#include "engine/envs/mujoco/metaworld/rules.h"

namespace engine::mujoco::metaworld {

// Returns `count` goal vectors of a task. The reference resets an environment for each, and a reset
// draws twice, of which the second vector counts.
std::vector<GoalVector> DrawGoals(const GoalSpace& space, std::size_t count, RandomState& random);

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_GOALS_H_
