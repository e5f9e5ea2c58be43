// Pendulum: swing a pendulum up with a weak motor. MuJoCo computes the dynamics of dm_control's
// pendulum.xml. Rewards and resets are those of dm_control's suite.pendulum.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_PENDULUM_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_PENDULUM_H_

#include <cstddef>
#include <numbers>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Pendulum final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "pendulum",
            .timestep = 0.02,
            .steps = 1,
            .leaves = {{"orientation", {2}}, {"velocity", {1}}},
            .controls = UnitControls(1)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues&)
        : pole(model.Body("pole")),
          hinge_qpos(static_cast<std::size_t>(model.Qpos("hinge"))),
          hinge_dof(static_cast<std::size_t>(model.Dof("hinge"))),
          upright({.lower = NumpyCos(kDegreesFromUpright * (std::numbers::pi / 180.0)),
                   .upper = 1.0}) {}

    int pole;
    std::size_t hinge_qpos, hinge_dof;
    Tolerance upright;
  };
  explicit Pendulum(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    physics.qpos()[config_.hinge_qpos] = random.Uniform(-std::numbers::pi, std::numbers::pi);
  }

  double Reward(const Physics& physics) const override {
    return config_.upright(physics.xmat(config_.pole)[8]);
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Pick(physics.xmat(config_.pole), {8, 2});
    writer.Leaf().Put(physics.qvel()[config_.hinge_dof]);
  }

 private:
  static constexpr double kDegreesFromUpright = 8.0;  // the reward is 1 within this angle

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_PENDULUM_H_
