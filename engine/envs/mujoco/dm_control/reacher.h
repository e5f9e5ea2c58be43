// Reacher: reach a target with an arm of two links on a plane. MuJoCo computes the dynamics of
// dm_control's reacher.xml. Rewards and resets are those of dm_control's suite.reacher.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_REACHER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_REACHER_H_

#include <array>
#include <numbers>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Reacher final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "reacher",
            .timestep = 0.02,
            .steps = 1,
            .leaves = {{"position", {2}}, {"to_target", {2}}, {"velocity", {2}}},
            .controls = UnitControls(2),
            .own_arrays = {OwnArray::kGeomPos}};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : joints(model), target(model.Geom("target")), finger(model.Geom("finger")) {
      double* const sizes = model.suite_fields().geom_size;  // radii first
      sizes[3 * target] = TaskOf(options) == "easy" ? 0.05 : 0.015;
      at_target = Tolerance({.upper = sizes[3 * target] + sizes[3 * finger]});
    }

    RandomJoints joints;
    int target, finger;
    Tolerance at_target;
  };
  explicit Reacher(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    config_.joints.Draw(physics, random);
    const double angle = random.Uniform(0.0, 2.0 * std::numbers::pi);
    const double radius = random.Uniform(0.05, 0.20);
    double* const position = physics.model().geom_pos + 3 * config_.target;
    position[0] = radius * NumpySin(angle);
    position[1] = radius * NumpyCos(angle);
  }

  double Reward(const Physics& physics) const override {
    return config_.at_target(Norm(ToTarget(physics)));
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos());
    writer.Leaf().Put(ToTarget(physics));
    writer.Leaf().Put(physics.qvel());
  }

 private:
  std::array<double, 2> ToTarget(const Physics& physics) const {
    const double* const target = physics.geom_xpos(config_.target);
    const double* const finger = physics.geom_xpos(config_.finger);
    return {target[0] - finger[0], target[1] - finger[1]};
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_REACHER_H_
