// The joints and the controls of a hand, as in the reference's MujocoHandEnv: HandReach and
// HandManipulate have the same. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <string>

#include "engine/env/params.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/model_copy.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco::robotics {

class Hand {
 public:
  static constexpr std::size_t kJoints = 24;
  static constexpr std::size_t kControls = 20;

  // `path` names the model in messages. Throws Error{kOption} if the model has other joints or
  // controls.
  Hand(Model& model, const std::string& path);

  // Makes steps with an action, which is clipped: targets of the joints, where -1 and 1 are the
  // ends of their ranges.
  template <std::floating_point T>
  void Step(Simulation& simulation, const T* action, int steps) const;

  // Writes the positions of the joints (radians) and then their velocities.
  void PutJoints(RowWriter& writer, const Simulation& simulation) const;

 private:
  struct Range {
    double low, high;     // radians
    double half, center;  // half of its width, and its middle
  };

  std::array<std::size_t, kJoints> qpos_, qvel_;  // places of the joints
  std::array<Range, kControls> ranges_;
  // Model::physics() without sensors, of which only the last reading of a step is seen.
  ModelCopy without_sensors_;
};

// The camera of the hands.
NumberTable HandCamera();

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_H_
