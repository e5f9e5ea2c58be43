// LQR: push masses on springs to rest. The stiffness of the springs is drawn once after each seed.
// MuJoCo computes the dynamics of dm_control's lqr.xml. Rewards and resets are those of
// dm_control's suite.lqr.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_LQR_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_LQR_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/task.h"
#include "engine/envs/mujoco/model_changes.h"

namespace engine::mujoco::suite {

class Lqr final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues& options) {
    const bool is_small = TaskOf(options) == "lqr_2_1";
    const std::int64_t bodies = is_small ? 2 : 6;
    const std::size_t actuators = is_small ? 1 : 2;
    constexpr double kUnlimited = 1e10;  // MuJoCo's largest number
    return {
        .model = "lqr " + std::to_string(bodies) + " " + std::to_string(actuators),
        .timestep = 0.03,
        .steps = 1,
        .leaves = {{"position", {bodies}}, {"velocity", {bodies}}},
        .controls = std::vector<Range>(actuators, Range{.low = -kUnlimited, .high = kUnlimited}),
        .own_arrays = {OwnArray::kJointStiffness}};
  }

  struct Config {
    Config(SuiteModel&, const ParamValues& options) {
      if (!ModelChanges(options).Has("jnt_stiffness")) return;
      throw Error(ErrorKind::kOption,
                  "model[jnt_stiffness]: expected another field, because this task draws the "
                  "stiffness of each joint from the seed");
    }
  };
  explicit Lqr(const Config&) {}

  void Seeded(Physics& physics, RandomState& random) override {
    for (std::size_t joint = 0; joint < physics.qpos().size(); ++joint) {
      physics.model().jnt_stiffness[joint] = random.Uniform(15.0, 25.0);
      random.Rand();  // a draw for the damping, which is always 0
    }
  }

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    const std::span<double> qpos = physics.qpos();
    random.Randn(qpos);
    const double norm = Norm(qpos);
    for (double& value : qpos) value = std::sqrt(2.0) * value / norm;
  }

  double Reward(const Physics& physics) const override {
    constexpr double kControlCost = 0.1;
    const std::span<const double> qpos = physics.qpos();
    const std::span<const double> controls = physics.controls();
    const double state_cost = 0.5 * NumpyDot(qpos, qpos);
    const double control_norm = 0.5 * NumpyDot(controls, controls);
    return 1.0 - (state_cost + control_norm * kControlCost);
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos());
    writer.Leaf().Put(physics.qvel());
  }

  bool Terminates(const Physics& physics) const override {
    constexpr double kAtRest = 1e-6;
    constexpr std::size_t kMaxBodies = 6;
    double state[2 * kMaxBodies];
    const std::size_t count = physics.qpos().size();
    std::ranges::copy(physics.qpos(), state);
    std::ranges::copy(physics.qvel(), state + count);
    return Norm({state, 2 * count}) < kAtRest;
  }
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_LQR_H_
