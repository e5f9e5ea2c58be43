// The planar arm of the manipulator and of the stacker, with a hand of two fingers: the random
// draws and the observations of the arm that both tasks share. The model is that of dm_control's
// manipulator.xml and stacker.xml.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_ARM_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_ARM_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "engine/envs/mujoco/dm_control/physics.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

struct Arm {
  static constexpr std::size_t kJoints = 8;
  static constexpr const char* kJointNames[kJoints] = {"arm_root",  "arm_shoulder", "arm_elbow",
                                                       "arm_wrist", "finger",       "fingertip",
                                                       "thumb",     "thumbtip"};
  static constexpr const char* kTouchNames[] = {"palm_touch", "finger_touch", "thumb_touch",
                                                "fingertip_touch", "thumbtip_touch"};

  explicit Arm(const SuiteModel& model) : hand(model.Body("hand")), grasp(model.Site("grasp")) {
    const SuiteModelFields& fields = model.suite_fields();
    for (std::size_t i = 0; i < kJoints; ++i) {
      const int joint = model.Joint(kJointNames[i]);
      const bool is_limited = fields.jnt_limited[joint] != 0;
      joints[i] = {.qpos = static_cast<std::size_t>(fields.jnt_qposadr[joint]),
                   .dof = static_cast<std::size_t>(fields.jnt_dofadr[joint]),
                   .low = is_limited ? fields.jnt_range[2 * joint] : -std::numbers::pi,
                   .high = is_limited ? fields.jnt_range[2 * joint + 1] : std::numbers::pi};
    }
    for (std::size_t i = 0; i < touch.size(); ++i) touch[i] = model.Sensor(kTouchNames[i]);
  }

  // Draws the angles of the joints. The finger has the angle of the thumb, so the hand is
  // symmetric.
  void Draw(Physics& physics, RandomState& random) const {
    constexpr std::size_t kFinger = 4;
    constexpr std::size_t kThumb = 6;
    for (const Joint& joint : joints) {
      physics.qpos()[joint.qpos] = random.Uniform(joint.low, joint.high);
    }
    physics.qpos()[joints[kFinger].qpos] = physics.qpos()[joints[kThumb].qpos];
  }

  // Writes the sines and cosines of the angles, the velocities, and log1p of the touch sensors.
  void Observe(const Physics& physics, ObservationWriter& writer) const {
    writer.Leaf();
    for (const Joint& joint : joints) {
      const double angle = physics.qpos()[joint.qpos];
      writer.Put(NumpySin(angle)).Put(NumpyCos(angle));
    }
    writer.Leaf();
    for (const Joint& joint : joints) writer.Put(physics.qvel()[joint.dof]);
    writer.Leaf();
    for (const int address : touch) writer.Put(NumpyLog1p(*physics.sensor(address)));
  }

  struct Joint {
    std::size_t qpos, dof;
    double low, high;  // rad
  };

  int hand, grasp;
  std::array<Joint, kJoints> joints;
  std::array<int, 5> touch;
};

inline std::vector<Leaf> ArmLeaves() {
  return {{"arm_pos", {8, 2}}, {"arm_vel", {8}}, {"touch", {5}}};
}

// Writes the position (x, z; m) and the orientation (qw, qy) of a body.
inline void PutPose(const Physics& physics, int body, ObservationWriter& writer) {
  writer.Pick(physics.xpos(body), {0, 2}).Pick(physics.xquat(body), {0, 2});
}

inline double SiteDistance(const Physics& physics, int a, int b) {
  return Norm(Difference(physics.site_xpos(a), physics.site_xpos(b)));
}

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_ARM_H_
