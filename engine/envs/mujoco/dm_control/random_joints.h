// Random positions of joints: dm_control's randomize_limited_and_rotational_joints. Made once for a
// pool; any thread.
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

// A direction on the unit sphere in four dimensions: normal draws, divided by their norm.
Quaternion RandomQuaternion(RandomState& random);

class RandomJoints {
 public:
  explicit RandomJoints(const SuiteModel& model);

  // Limited joints: uniform in their range. Others that rotate: uniform on all orientations, but
  // for a free joint, whose quaternion has four uniform draws. Positions that are not limited stay.
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

// Draws positions until no geoms touch. Throws Error{kInternal} after `most` attempts.
void DrawWithoutContacts(const RandomJoints& joints, Physics& physics, RandomState& random,
                         int most);
// The number of attempts where the reference sets no limit: so many that it is never reached.
inline constexpr int kManyAttempts = 1'000'000;
[[noreturn]] void ThrowNoFreeState(int attempts);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_RANDOM_JOINTS_H_
