// Random positions of joints, as in dm_control's randomize_limited_and_rotational_joints. Made once
// for a pool; any thread.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_RANDOM_JOINTS_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_RANDOM_JOINTS_H_

#include <array>
#include <cstddef>
#include <numbers>
#include <vector>

#include "engine/base/random_state.h"
#include "engine/envs/mujoco/dm_control/physics.h"
#include "engine/envs/mujoco/dm_control/suite_model.h"

namespace engine::mujoco::suite {

using Quaternion = std::array<double, 4>;

// Returns a uniformly distributed point on the unit sphere in four dimensions: four normal draws,
// divided by their norm.
Quaternion RandomQuaternion(RandomState& random);

class RandomJoints {
 public:
  explicit RandomJoints(const SuiteModel& model);

  // Draws the positions of the joints. A limited joint is uniform in its range. An unlimited hinge
  // or ball is uniform on all orientations. The quaternion of a free joint is four uniform draws,
  // divided by their norm. Other unlimited positions do not change.
  void Draw(Physics& physics, RandomState& random) const;

 private:
  struct Joint {
    int type;
    bool is_limited;
    double low;
    double high;
    std::size_t qpos;
  };

  static void DrawBall(const Joint& joint, double* quaternion, RandomState& random);

  std::vector<Joint> joints_;
};

// Draws positions until no geoms touch. Throws Error{kInternal} after `max_attempts` attempts.
void DrawWithoutContacts(const RandomJoints& joints, Physics& physics, RandomState& random,
                         int max_attempts);
// The limit of attempts where the reference has no limit. Only a model that was changed reaches it:
// by an option, or by a saved state that was.
inline constexpr int kManyAttempts = 100'000;
[[noreturn]] void ThrowNoFreeState(int attempts);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_RANDOM_JOINTS_H_
