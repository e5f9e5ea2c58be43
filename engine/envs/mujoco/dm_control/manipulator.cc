// See manipulator.h, also for the source of the dynamics.
#include "engine/envs/mujoco/dm_control/manipulator.h"

#include <numbers>

#include "engine/envs/mujoco/dm_control/random_joints.h"

namespace engine::mujoco::suite {

Description Manipulator::Describe(const ParamValues& options) {
  Description description{.model = "manipulator " + TaskOf(options),
                          .timestep = 0.001,
                          .steps = 10,
                          .leaves = ArmLeaves(),
                          .controls = UnitControls(5),
                          .own_arrays = {OwnArray::kBodyPos, OwnArray::kBodyQuat}};
  if (options.Get<bool>("fully_observable")) {
    description.leaves.push_back({"hand_pos", {4}});
    description.leaves.push_back({"object_pos", {4}});
    description.leaves.push_back({"object_vel", {3}});
    description.leaves.push_back({"target_pos", {4}});
  }
  return description;
}

Manipulator::Config::Config(SuiteModel& model, const ParamValues& options)
    : arm(model),
      uses_peg(TaskOf(options).ends_with("peg")),
      inserts(TaskOf(options).starts_with("insert")),
      is_fully_observable(options.Get<bool>("fully_observable")) {
  const std::string name = uses_peg ? "peg" : "ball";
  const std::string target_name = "target_" + name;
  object = model.Body(name.c_str());
  target = model.Body(target_name.c_str());
  if (inserts) receptacle = model.Body(uses_peg ? "slot" : "cup");
  constexpr const char* kAxes[] = {"_x", "_z", "_y"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string joint = name + kAxes[i];
    object_qpos[i] = static_cast<std::size_t>(model.Qpos(joint.c_str()));
    object_dof[i] = static_cast<std::size_t>(model.Dof(joint.c_str()));
  }
  const auto pair = [&](const char* a, const char* b) {
    return Pair{.a = model.Site(a), .b = model.Site(b)};
  };
  bring = pair(name.c_str(), target_name.c_str());
  if (!uses_peg) return;
  bring_tip = pair("target_peg_tip", "peg_tip");
  grasp = pair("peg_grasp", "grasp");
  pinch = pair("peg_pinch", "pinch");
}

Manipulator::Pose Manipulator::DrawTarget(Physics& physics, RandomState& random) const {
  Pose pose;
  pose.x = random.Uniform(-0.4, 0.4);
  pose.z = random.Uniform(0.1, 0.4);
  const double max_angle = config_.inserts ? std::numbers::pi / 3.0 : std::numbers::pi;
  pose.angle = random.Uniform(-max_angle, max_angle);
  for (const int body : {config_.receptacle, config_.target}) {
    if (body < 0) continue;
    double* const position = physics.model().body_pos + 3 * body;
    double* const quaternion = physics.model().body_quat + 4 * body;
    position[0] = pose.x;
    position[2] = pose.z;
    quaternion[0] = NumpyCos(pose.angle / 2.0);
    quaternion[2] = NumpySin(pose.angle / 2.0);
  }
  return pose;
}

Manipulator::Pose Manipulator::DrawObject(const Pose& target, Physics& physics,
                                          RandomState& random) const {
  constexpr double kInHand = 0.1;  // probability
  constexpr double kInTarget = 0.1;
  constexpr double kChances[] = {kInHand, kInTarget, 1.0 - kInHand - kInTarget};
  const std::size_t start = random.Choice(kChances);
  if (start == 1) return target;
  if (start == 0) {
    physics.Forward();
    const double* const position = physics.site_xpos(config_.arm.grasp);
    const double* const axes = physics.site_xmat(config_.arm.grasp);
    return {.x = position[0],
            .z = position[2],
            .angle = std::numbers::pi - NumpyArctan2(axes[6], axes[0])};
  }
  Pose pose;
  pose.x = random.Uniform(-0.5, 0.5);
  pose.z = random.Uniform(0.0, 0.7);
  pose.angle = random.Uniform(0.0, 2.0 * std::numbers::pi);
  physics.qvel()[config_.object_dof[0]] = random.Uniform(-5.0, 5.0);
  return pose;
}

void Manipulator::InitializeEpisode(Physics& physics, RandomState& random) {
  for (int attempt = 0; attempt < kManyAttempts; ++attempt) {
    config_.arm.Draw(physics, random);
    const Pose target = DrawTarget(physics, random);
    const Pose object = DrawObject(target, physics, random);
    physics.qpos()[config_.object_qpos[0]] = object.x;
    physics.qpos()[config_.object_qpos[1]] = object.z;
    physics.qpos()[config_.object_qpos[2]] = object.angle;
    physics.Forward();
    if (physics.num_contacts() == 0) return;
  }
  ThrowNoFreeState(kManyAttempts);
}

double Manipulator::Reward(const Physics& physics) const {
  const double bring = Closeness(physics, config_.bring);
  if (!config_.uses_peg) return bring;
  const double grasping =
      (Closeness(physics, *config_.grasp) + Closeness(physics, *config_.pinch)) / 2.0;
  const double bringing = (bring + Closeness(physics, *config_.bring_tip)) / 2.0;
  return std::max(bringing, grasping / 3.0);
}

void Manipulator::Observe(const Physics& physics, ObservationWriter& writer) const {
  config_.arm.Observe(physics, writer);
  if (!config_.is_fully_observable) return;
  PutPose(physics, config_.arm.hand, writer.Leaf());
  PutPose(physics, config_.object, writer.Leaf());
  writer.Leaf();
  for (const std::size_t dof : config_.object_dof) writer.Put(physics.qvel()[dof]);
  PutPose(physics, config_.target, writer.Leaf());
}

}  // namespace engine::mujoco::suite
