// Walker: stand, walk or run with a planar body that has two legs. MuJoCo computes the dynamics of
// dm_control's walker.xml. Rewards and resets are those of dm_control's suite.walker.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_WALKER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_WALKER_H_

#include <string>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Walker final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "walker",
            .timestep = 0.0025,
            .steps = 10,
            .leaves = {{"orientations", {14}}, {"height", {}}, {"velocity", {9}}},
            .controls = UnitControls(6)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : joints(model),
          torso(model.Body("torso")),
          num_bodies(static_cast<int>(model.fields().nbody)),
          velocity(model.Sensor("torso_subtreelinvel")),
          speed(SpeedOf(TaskOf(options))),
          moves({.lower = speed,
                 .upper = kInfinity,
                 .margin = speed / 2.0,
                 .sigmoid = Sigmoid::kLinear,
                 .value_at_margin = 0.5}) {}

    RandomJoints joints;
    int torso, num_bodies, velocity;
    double speed;  // m/s, the reward for moving is 1 from this speed; 0: the task is to stand
    Tolerance stands{{.lower = kStandHeight, .upper = kInfinity, .margin = kStandHeight / 2.0}};
    Tolerance moves;
  };
  explicit Walker(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    config_.joints.Draw(physics, random);
  }

  double Reward(const Physics& physics) const override {
    const double standing = config_.stands(physics.xpos(config_.torso)[2]);
    const double upright = (1.0 + physics.xmat(config_.torso)[8]) / 2.0;
    const double stand_reward = (3.0 * standing + upright) / 4.0;
    if (config_.speed == 0.0) return stand_reward;
    const double move_reward = config_.moves(*physics.sensor(config_.velocity));
    return stand_reward * (5.0 * move_reward + 1.0) / 6.0;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf();
    for (int body = 1; body < config_.num_bodies; ++body) writer.Pick(physics.xmat(body), {0, 2});
    writer.Leaf().Put(physics.xpos(config_.torso)[2]);
    writer.Leaf().Put(physics.qvel());
  }

 private:
  static constexpr double kStandHeight = 1.2;  // m, height of the torso

  static double SpeedOf(const std::string& task) {
    if (task == "walk") return 1.0;
    return task == "run" ? 8.0 : 0.0;
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_WALKER_H_
