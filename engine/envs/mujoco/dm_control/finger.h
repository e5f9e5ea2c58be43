// Finger: turn a body on a hinge with a finger of two links, either fast or to a target angle.
// MuJoCo computes the dynamics of dm_control's finger.xml. Rewards and resets are those of
// dm_control's suite.finger.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_FINGER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_FINGER_H_

#include <array>
#include <cstddef>
#include <numbers>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Finger final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues& options) {
    Description description{.model = "finger",
                            .timestep = 0.01,
                            .steps = 2,
                            .leaves = {{"position", {4}}, {"velocity", {3}}, {"touch", {2}}},
                            .controls = UnitControls(2)};
    if (Turns(options)) {
      description.leaves.push_back({"target_position", {2}});
      description.leaves.push_back({"dist_to_target", {}});
      description.own_arrays = {OwnArray::kSitePos};
    }
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : joints(model),
          turns(Turns(options)),
          hinge(model.Joint("hinge")),
          target(model.Site("target")),
          proximal(model.Sensor("proximal")),
          distal(model.Sensor("distal")),
          velocities{model.Sensor("proximal_velocity"), model.Sensor("distal_velocity"),
                     model.Sensor("hinge_velocity")},
          touch_top(model.Sensor("touchtop")),
          touch_bottom(model.Sensor("touchbottom")),
          tip_position(model.Sensor("tip")),
          spinner_position(model.Sensor("spinner")),
          target_position(model.Sensor("target")) {
      const SuiteModelFields& fields = model.suite_fields();
      const double* const cap = fields.geom_size + 3 * model.Geom("cap1");
      reach = cap[0] + cap[1] + cap[2];
      if (turns) {
        radius = TaskOf(options) == "turn_easy" ? 0.07 : 0.03;
        fields.site_size[3 * target] = radius;
      } else {
        constexpr int kAlpha = 3;  // index of alpha in a colour
        fields.site_rgba[4 * target + kAlpha] = 0.0f;
        fields.site_rgba[4 * model.Site("tip") + kAlpha] = 0.0f;
        fields.dof_damping[model.Dof("hinge")] = 0.03;
      }
    }

    RandomJoints joints;
    bool turns;
    int hinge, target;
    // Addresses of sensors.
    int proximal, distal;
    std::array<int, 3> velocities;
    int touch_top, touch_bottom, tip_position, spinner_position, target_position;
    double reach;         // m, from the hinge to the target
    double radius = 0.0;  // m, radius of the target
  };
  explicit Finger(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    constexpr int kMaxAttempts = 1000;
    if (config_.turns) {
      const double angle = random.Uniform(-std::numbers::pi, std::numbers::pi);
      const double* const hinge = physics.xanchor(config_.hinge);
      double* const position = physics.model().site_pos + 3 * config_.target;
      position[0] = hinge[0] + config_.reach * NumpySin(angle);
      position[2] = hinge[2] + config_.reach * NumpyCos(angle);
    }
    DrawWithoutContacts(config_.joints, physics, random, kMaxAttempts);
  }

  double Reward(const Physics& physics) const override {
    constexpr double kSpinVelocity = 15.0;  // rad/s
    const bool done = config_.turns ? DistanceToTarget(physics) <= 0.0
                                    : *physics.sensor(config_.velocities[2]) <= -kSpinVelocity;
    return done ? 1.0 : 0.0;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf()
        .Put(*physics.sensor(config_.proximal))
        .Put(*physics.sensor(config_.distal))
        .Put(FromHinge(physics, config_.tip_position));
    writer.Leaf();
    for (const int velocity : config_.velocities) writer.Put(*physics.sensor(velocity));
    writer.Leaf()
        .Put(NumpyLog1p(*physics.sensor(config_.touch_top)))
        .Put(NumpyLog1p(*physics.sensor(config_.touch_bottom)));
    if (!config_.turns) return;
    writer.Leaf().Put(FromHinge(physics, config_.target_position));
    writer.Leaf().Put(DistanceToTarget(physics));
  }

 private:
  using Planar = std::array<double, 2>;  // x and z, m

  static bool Turns(const ParamValues& options) { return TaskOf(options) != "spin"; }

  Planar FromHinge(const Physics& physics, int position) const {
    const double* const point = physics.sensor(position);
    const double* const hinge = physics.sensor(config_.spinner_position);
    return {point[0] - hinge[0], point[2] - hinge[2]};
  }

  // Returns the distance from the tip to the surface of the target (m), negative inside of it.
  double DistanceToTarget(const Physics& physics) const {
    const Planar target = FromHinge(physics, config_.target_position);
    const Planar tip = FromHinge(physics, config_.tip_position);
    return Norm(Planar{target[0] - tip[0], target[1] - tip[1]}) - config_.radius;
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_FINGER_H_
