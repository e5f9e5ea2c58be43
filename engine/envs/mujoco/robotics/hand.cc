// See the header.
#include "engine/envs/mujoco/robotics/hand.h"

#include <span>
#include <string_view>

#include "engine/base/numpy_math.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/robotics/robot.h"

namespace engine::mujoco::robotics {

Hand::Hand(Model& model, const std::string& path) : without_sensors_(*model.physics()) {
  const Layout& layout = UsedLayout();
  if (layout.physics_is_known) {
    MemberAt<int>(without_sensors_.get(), layout.model.disableflags) |= layout.flags.disable_sensor;
  }
  const ArmModelFields fields = ArmFieldsOf(*model.get());
  std::size_t count = 0;
  for (int joint = 0;; ++joint) {
    const char* const name = Library().id_to_name(model.get(), kObjectJoint, joint);
    if (name == nullptr) break;
    if (!std::string_view(name).starts_with("robot")) continue;
    if (count == kJoints) ThrowOtherModel(path);
    qpos_[count] = static_cast<std::size_t>(fields.jnt_qposadr[joint]);
    qvel_[count] = static_cast<std::size_t>(fields.jnt_dofadr[joint]);
    ++count;
  }
  if (count != kJoints || static_cast<std::size_t>(model->nu) != kControls) ThrowOtherModel(path);
  for (std::size_t i = 0; i < kControls; ++i) {
    const double low = model->actuator_ctrlrange[2 * i];
    const double high = model->actuator_ctrlrange[2 * i + 1];
    ranges_[i] = {
        .low = low, .high = high, .half = (high - low) / 2.0, .center = (high + low) / 2.0};
  }
}

template <std::floating_point T>
void Hand::Step(Simulation& simulation, const T* action, int steps) const {
  std::array<double, kControls> targets;
  for (std::size_t i = 0; i < kControls; ++i) {
    const Range& range = ranges_[i];
    const auto clipped = static_cast<double>(NumpyClip<T>(action[i], -1, 1));
    targets[i] = NumpyClip(range.center + clipped * range.half, range.low, range.high);
  }
  simulation.Step(std::span<const double>(targets), steps * kSubsteps, BodyForces::kNo,
                  without_sensors_.get());
}

template void Hand::Step(Simulation& simulation, const float* action, int steps) const;
template void Hand::Step(Simulation& simulation, const double* action, int steps) const;

void Hand::PutJoints(RowWriter& writer, const Simulation& simulation) const {
  for (const std::size_t place : qpos_) writer.Put(simulation.qpos()[place]);
  for (const std::size_t place : qvel_) writer.Put(simulation.qvel()[place]);
}

NumberTable HandCamera() {
  return {{"distance", {0.5}},
          {"azimuth", {55.0}},
          {"elevation", {-25.0}},
          {"lookat", {1.0, 0.96, 0.14}}};
}

}  // namespace engine::mujoco::robotics
