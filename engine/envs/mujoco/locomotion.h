// The common part of the locomotion tasks. The reward is the speed minus a cost of control, and
// observations may omit the position on the plane. Pure data; any thread.
#ifndef ENGINE_ENVS_MUJOCO_LOCOMOTION_H_
#define ENGINE_ENVS_MUJOCO_LOCOMOTION_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "engine/base/numpy_arrays.h"
#include "engine/env/params.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco {

struct LocomotionConstants : Timing {
  LocomotionConstants(const Timing& timing, const ParamValues& options)
      : Timing(timing),
        forward_reward_weight(options.Get<double>("forward_reward_weight")),
        ctrl_cost_weight(options.Get<double>("ctrl_cost_weight")),
        noise_scale(ReadNoiseScale(options)) {}

  // Returns the cost of an action, computed in the precision of the action.
  template <std::floating_point T>
  T ControlCost(std::span<const T> action) const {
    return static_cast<T>(ctrl_cost_weight) * SumOfSquares(action);
  }

  double forward_reward_weight;
  double ctrl_cost_weight;
  double noise_scale;
};

struct Locomotion : Basics {
  // The first `plane` elements of qpos are the position on the plane.
  Locomotion(const ParamValues& options, std::size_t plane)
      : Locomotion(LoadModel(options.Get<std::string>("xml_file")), options, plane) {}
  Locomotion(BaseModelPtr base, const ParamValues& options, std::size_t plane)
      : Basics(std::move(base), options), skipped_qpos(ExcludesPositions(options) ? plane : 0) {}

  // Returns the number of positions and velocities in an observation.
  std::int64_t state_size() const {
    return model->nq + model->nv - static_cast<std::int64_t>(skipped_qpos);
  }

  std::size_t skipped_qpos;  // positions that an observation omits
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_LOCOMOTION_H_
