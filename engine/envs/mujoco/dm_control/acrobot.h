// Acrobot: swing a double pendulum with an actuated elbow up to a target above it. MuJoCo computes
// the dynamics of dm_control's acrobot.xml. Rewards and resets are those of dm_control's
// suite.acrobot.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_ACROBOT_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_ACROBOT_H_

#include <array>
#include <cmath>
#include <numbers>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Acrobot final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "acrobot",
            .timestep = 0.01,
            .steps = 1,
            .leaves = {{"orientations", {4}}, {"velocity", {2}}},
            .controls = UnitControls(1)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : shoulder(model.Qpos("shoulder")),
          elbow(model.Qpos("elbow")),
          arms{model.Body("upper_arm"), model.Body("lower_arm")},
          target(model.Site("target")),
          tip(model.Site("tip")),
          at_target({.upper = model.suite_fields().site_size[3 * target],
                     .margin = TaskOf(options) == "swingup" ? 1.0 : 0.0}) {}

    int shoulder, elbow;
    std::array<int, 2> arms;
    int target, tip;
    Tolerance at_target;
  };
  explicit Acrobot(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    for (const int joint : {config_.shoulder, config_.elbow}) {
      physics.qpos()[static_cast<std::size_t>(joint)] =
          random.Uniform(-std::numbers::pi, std::numbers::pi);
    }
  }

  double Reward(const Physics& physics) const override {
    const Vector to_target =
        Difference(physics.site_xpos(config_.target), physics.site_xpos(config_.tip));
    return config_.at_target(Norm(to_target));
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf();
    for (const int arm : config_.arms) writer.Put(physics.xmat(arm)[2]);
    for (const int arm : config_.arms) writer.Put(physics.xmat(arm)[8]);
    writer.Leaf().Put(physics.qvel());
  }

 private:
  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_ACROBOT_H_
