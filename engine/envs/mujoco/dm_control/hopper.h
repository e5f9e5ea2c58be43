// Hopper: stand or hop with a planar body that has one leg. MuJoCo computes the dynamics of
// dm_control's hopper.xml. Rewards and resets are those of dm_control's suite.hopper.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_HOPPER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_HOPPER_H_

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Hopper final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "hopper",
            .timestep = 0.005,
            .steps = 4,
            .leaves = {{"position", {6}}, {"velocity", {7}}, {"touch", {2}}},
            .controls = UnitControls(4)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : joints(model),
          torso(model.Body("torso")),
          foot(model.Body("foot")),
          velocity(model.Sensor("torso_subtreelinvel")),
          touch_toe(model.Sensor("touch_toe")),
          touch_heel(model.Sensor("touch_heel")),
          hops(TaskOf(options) == "hop") {}

    RandomJoints joints;
    int torso, foot, velocity, touch_toe, touch_heel;
    bool hops;
    Tolerance stands{{.lower = 0.6, .upper = 2.0}};
    Tolerance is_fast{{.lower = kHopSpeed,
                       .upper = kInfinity,
                       .margin = kHopSpeed / 2.0,
                       .sigmoid = Sigmoid::kLinear,
                       .value_at_margin = 0.5}};
    Tolerance small_control = SmallControls();
  };
  explicit Hopper(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    config_.joints.Draw(physics, random);
  }

  double Reward(const Physics& physics) const override {
    const double height = physics.xipos(config_.torso)[2] - physics.xipos(config_.foot)[2];
    const double standing = config_.stands(height);
    if (config_.hops) return standing * config_.is_fast(*physics.sensor(config_.velocity));
    return standing * ((config_.small_control.Mean(physics.controls()) + 4.0) / 5.0);
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos().subspan(1));
    writer.Leaf().Put(physics.qvel());
    writer.Leaf()
        .Put(NumpyLog1p(*physics.sensor(config_.touch_toe)))
        .Put(NumpyLog1p(*physics.sensor(config_.touch_heel)));
  }

 private:
  static constexpr double kHopSpeed = 2.0;  // m/s, the reward for hopping is 1 from this speed

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_HOPPER_H_
