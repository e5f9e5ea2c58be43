// HalfCheetah: run forward with a two-legged body in a plane. The tasks are Gymnasium 1.4.0's
// HalfCheetah-v4 and HalfCheetah-v5 with its half_cheetah.xml. MuJoCo computes the dynamics, the
// other arithmetic is Gymnasium's, and trajectories are bit-equal to Gymnasium's. Each instance
// runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_HALF_CHEETAH_H_
#define ENGINE_ENVS_MUJOCO_HALF_CHEETAH_H_

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/locomotion.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class HalfCheetah : public Task {
 public:
  static ParamSchema Options() {
    return {XmlFile("half_cheetah.xml"),
            FrameSkip(5),
            ForwardRewardWeight(1.0),
            CtrlCostWeight(0.1),
            ResetNoiseScale(0.1),
            ExcludePositions(),
            CameraConfig(kVersion, {{"distance", {4.0}}})};
  }

  using Constants = LocomotionConstants;
  struct Config : Locomotion {
    explicit Config(const ParamValues& options)
        : Locomotion(options, 1), constants(timing, options) {
      model.RequireAtLeast(1, model->nq, "positions (nq)");
    }

    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    EnvSpec spec = SpecOf(config, config.state_size());
    spec.infos = {Number("x_position"), Number("x_velocity"),
                  Number(kVersion == Version::kV5 ? "reward_forward" : "reward_run")};
    AddActionTerm("reward_ctrl", spec);
    return spec;
  }

  explicit HalfCheetah(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    ResetWithNoise(constants_->noise_scale, Velocities::kNormal, rng);
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
    if (after_reset) return;
    row.Set(kXVelocity, x_velocity_);
    row.Set(kForwardReward, forward_reward_);
    ctrl_reward_.SetIn(row, kCtrlReward);
  }

  void Save(StateWriter& state) const {
    SaveWith(state, x_velocity_, forward_reward_, ctrl_reward_);
  }
  void Load(StateReader& state) { LoadWith(state, x_velocity_, forward_reward_, ctrl_reward_); }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    const double x_before = simulation_.qpos()[0];
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    x_velocity_ = (simulation_.qpos()[0] - x_before) / constants_->dt;
    forward_reward_ = constants_->forward_reward_weight * x_velocity_;
    const T ctrl_cost = constants_->ControlCost(action);
    ctrl_reward_ = ActionTerm(-ctrl_cost);
    return {.reward = forward_reward_ - static_cast<double>(ctrl_cost)};
  }

  enum InfoField : std::size_t { kXPosition, kXVelocity, kForwardReward, kCtrlReward };

  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::forward_reward_weight, Constants>("_forward_reward_weight"),
      AttributeOf<&Constants::ctrl_cost_weight, Constants>("_ctrl_cost_weight"),
      NoiseScaleAttribute<Constants>(), FrameSkipAttribute<Constants>()};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double x_velocity_ = 0.0;  // m/s
  double forward_reward_ = 0.0;
  ActionTerm ctrl_reward_;
};

using HalfCheetahV4 = HalfCheetah<Version::kV4>;
using HalfCheetahV5 = HalfCheetah<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HALF_CHEETAH_H_
