// The rewards of the suite: dm_control's tolerances for them. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_REWARDS_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_REWARDS_H_

#include <limits>

#include "engine/envs/mujoco/tolerance.h"

namespace engine::mujoco::suite {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns a tolerance that is 1 at control 0, and 0 at the bounds of the controls, -1 and 1.
inline Tolerance SmallControls() {
  return Tolerance({.margin = 1.0, .sigmoid = Sigmoid::kQuadratic, .value_at_margin = 0.0});
}

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_REWARDS_H_
