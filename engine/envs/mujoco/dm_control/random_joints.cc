// See the header.
#include "engine/envs/mujoco/dm_control/random_joints.h"

#include <string>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::suite {

Quaternion RandomQuaternion(RandomState& random) {
  Quaternion quaternion;
  random.Randn(quaternion);
  const double norm = Norm(quaternion);
  for (double& value : quaternion) value /= norm;
  return quaternion;
}

RandomJoints::RandomJoints(const SuiteModel& model) {
  const SuiteModelFields& fields = model.suite_fields();
  for (std::int64_t i = 0; i < fields.njnt; ++i) {
    joints_.push_back({.type = fields.jnt_type[i],
                       .is_limited = fields.jnt_limited[i] != 0,
                       .low = fields.jnt_range[2 * i],
                       .high = fields.jnt_range[2 * i + 1],
                       .qpos = static_cast<std::size_t>(fields.jnt_qposadr[i])});
  }
}

void RandomJoints::Draw(Physics& physics, RandomState& random) const {
  const std::span<double> qpos = physics.qpos();
  for (const Joint& joint : joints_) {
    double* const values = &qpos[joint.qpos];
    const bool is_scalar = joint.type == kJointHinge || joint.type == kJointSlide;
    if (is_scalar && joint.is_limited) {
      *values = random.Uniform(joint.low, joint.high);
    } else if (joint.type == kJointHinge) {
      *values = random.Uniform(-std::numbers::pi, std::numbers::pi);
    } else if (joint.type == kJointBall) {
      DrawBall(joint, values, random);
    } else if (joint.type == kJointFree && !joint.is_limited) {
      Quaternion quaternion;
      random.Rand(quaternion);
      const double norm = Norm(quaternion);
      for (std::size_t i = 0; i < 4; ++i) values[3 + i] = quaternion[i] / norm;
    }
  }
}

void RandomJoints::DrawBall(const Joint& joint, double* quaternion, RandomState& random) {
  if (!joint.is_limited) {
    const Quaternion drawn = RandomQuaternion(random);
    std::ranges::copy(drawn, quaternion);
    return;
  }
  Vector axis;
  random.Randn(axis);
  const double norm = Norm(axis);
  for (double& value : axis) value /= norm;
  const double angle = random.Rand() * joint.high;
  Library().axis_angle_to_quat(quaternion, axis.data(), angle);
}

void DrawWithoutContacts(const RandomJoints& joints, Physics& physics, RandomState& random,
                         int max_attempts) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    joints.Draw(physics, random);
    physics.Forward();
    if (physics.num_contacts() == 0) return;
  }
  ThrowNoFreeState(max_attempts);
}

void ThrowNoFreeState(int attempts) {
  throw Error(ErrorKind::kInternal, "expected a state without contacts, found none in " +
                                        std::to_string(attempts) + " attempts");
}

}  // namespace engine::mujoco::suite
