// Swimmer: swim forward in a viscous fluid with three links. The tasks are Gymnasium 1.4.0's
// Swimmer-v4 and Swimmer-v5 with its swimmer.xml. MuJoCo computes the dynamics, the other
// arithmetic is Gymnasium's, and trajectories are bit-equal to Gymnasium's. Each instance runs on
// one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_SWIMMER_H_
#define ENGINE_ENVS_MUJOCO_SWIMMER_H_

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/locomotion.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class Swimmer : public Task {
 public:
  static ParamSchema Options() {
    return {XmlFile("swimmer.xml"),    FrameSkip(4),         ForwardRewardWeight(1.0),
            CtrlCostWeight(0.0001),    ResetNoiseScale(0.1), ExcludePositions(),
            CameraConfig(kVersion, {})};
  }

  using Constants = LocomotionConstants;
  struct Config : Locomotion {
    explicit Config(const ParamValues& options)
        : Config(LoadModel(options.Get<std::string>("xml_file")), options) {}
    Config(BaseModelPtr base, const ParamValues& options)
        : Locomotion(std::move(base), options, 2), constants(timing, options) {
      model.RequireAtLeast(2, model->nq, "positions (nq)");
    }

    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) { return Spec(Config(options)); }
  static EnvSpec Spec(const Config& config) {
    EnvSpec spec = SpecOf(config, config.state_size());
    spec.infos = {Number("x_position"),
                  Number("y_position"),
                  Number("distance_from_origin"),
                  Number("x_velocity"),
                  Number("y_velocity"),
                  Number(kVersion == Version::kV5 ? "reward_forward" : "reward_fwd")};
    AddActionTerm("reward_ctrl", spec);
    if (kVersion == Version::kV4) spec.infos.push_back(Number("forward_reward"));
    return spec;
  }

  explicit Swimmer(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    ResetWithNoise(constants_->noise_scale, Velocities::kUniform, rng);
  }

  StepResult Step(ActionView action, Rng&) { return Act(simulation_.Controls<float>(action)); }
  StepResult StepFloat64(ActionView action, Rng&) {
    return Act(simulation_.Controls<double>(action));
  }

  void Observe(ObsRow row) const {
    RowWriter writer(row);
    PutState(writer, config_.skipped_qpos);
  }

  void Info(InfoRow row, bool after_reset) const {
    if (after_reset && kVersion == Version::kV4) return;
    row.Set(kXPosition, simulation_.qpos()[0]);
    row.Set(kYPosition, simulation_.qpos()[1]);
    row.Set(kDistance, Norm(simulation_.qpos().first(2)));
    if (after_reset) return;
    row.Set(kXVelocity, x_velocity_);
    row.Set(kYVelocity, y_velocity_);
    ctrl_reward_.SetIn(row, kCtrlReward);
    row.Set(kForwardReward, forward_reward_);
    if (kVersion == Version::kV4) row.Set(kForwardRewardAgain, forward_reward_);
  }

  void Save(StateWriter& state) const {
    SaveWith(state, x_velocity_, y_velocity_, forward_reward_, ctrl_reward_);
  }
  void Load(StateReader& state) {
    LoadWith(state, x_velocity_, y_velocity_, forward_reward_, ctrl_reward_);
  }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    const double x_before = simulation_.qpos()[0];
    const double y_before = simulation_.qpos()[1];
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    x_velocity_ = (simulation_.qpos()[0] - x_before) / constants_->dt;
    y_velocity_ = (simulation_.qpos()[1] - y_before) / constants_->dt;
    forward_reward_ = constants_->forward_reward_weight * x_velocity_;
    const T ctrl_cost = constants_->ControlCost(action);
    ctrl_reward_ = ActionTerm(-ctrl_cost);
    return {.reward = forward_reward_ - static_cast<double>(ctrl_cost)};
  }

  enum InfoField : std::size_t {
    kXPosition,
    kYPosition,
    kDistance,
    kXVelocity,
    kYVelocity,
    kForwardReward,
    kCtrlReward,
    kCtrlRewardFloat64,
    kForwardRewardAgain,  // v4 reports the forward reward under two names
  };

  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::forward_reward_weight, Constants>("_forward_reward_weight"),
      AttributeOf<&Constants::ctrl_cost_weight, Constants>("_ctrl_cost_weight"),
      NoiseScaleAttribute<Constants>(), FrameSkipAttribute<Constants>()};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double x_velocity_ = 0.0;  // m/s
  double y_velocity_ = 0.0;
  double forward_reward_ = 0.0;
  ActionTerm ctrl_reward_;
};

using SwimmerV4 = Swimmer<Version::kV4>;
using SwimmerV5 = Swimmer<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_SWIMMER_H_
