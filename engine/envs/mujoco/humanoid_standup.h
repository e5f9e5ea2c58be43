// HumanoidStandup: stand up from lying on the back, with the body of Humanoid. The tasks are
// Gymnasium 1.4.0's HumanoidStandup-v4 and HumanoidStandup-v5 with its humanoidstandup.xml. MuJoCo
// computes the dynamics, the other arithmetic is Gymnasium's, and trajectories are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_HUMANOID_STANDUP_H_
#define ENGINE_ENVS_MUJOCO_HUMANOID_STANDUP_H_

#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/humanoid_body.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class HumanoidStandup : public Task {
 public:
  static constexpr bool kIsV5 = kVersion == Version::kV5;

  static ParamSchema Options() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    ParamSchema options = {
        XmlFile("humanoidstandup.xml"),
        FrameSkip(5),
        Weight("uph_cost_weight", 1.0, "Has no effect, as in Gymnasium."),
        Weight("forward_reward_weight", 1.0,
               "Weight of the torso's height over the timestep (s/m)."),
        Weight("healthy_reward", 1.0, "Reward of every step."),
        CtrlCostWeight(0.1),
        Weight("impact_cost_weight", 0.5e-6, "Weight of the squared contact forces in the cost."),
        Bounds("impact_cost_range", {-kInfinity, 10.0},
               "Interval to which the impact cost is clipped."),
        ResetNoiseScale(0.01),
        ExcludePositions(),
        CameraConfig(kVersion, {{"trackbodyid", {1.0}},
                                {"distance", {4.0}},
                                {"lookat", {0.0, 0.0, 0.8925}},
                                {"elevation", {-20.0}}})};
    const ParamSchema parts = HumanoidParts(kVersion);
    options.insert(options.end(), parts.begin(), parts.end());
    return options;
  }

  struct Constants : Timing {
    Constants(const Timing& timing, const ParamValues& options)
        : Timing(timing),
          uph_cost_weight(options.Get<double>("uph_cost_weight")),
          ctrl_cost_weight(options.Get<double>("ctrl_cost_weight")),
          impact_cost_weight(options.Get<double>("impact_cost_weight")),
          impact_cost_range(ReadBounds(options, "impact_cost_range")),
          noise_scale(ReadNoiseScale(options)) {}

    double uph_cost_weight;  // without effect, as in Gymnasium
    double ctrl_cost_weight;
    double impact_cost_weight;
    Interval impact_cost_range;
    double noise_scale;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options),
          constants(timing, options),
          body(options, model, kVersion),
          height_weight(options.Get<double>("forward_reward_weight")),
          healthy_reward(options.Get<double>("healthy_reward")) {}

    Constants constants;
    HumanoidBody body;
    double height_weight;  // 1/s
    double healthy_reward;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    EnvSpec spec = SpecOf(config, config.body.observation_size());
    spec.infos = {Number("reward_linup"), Number("reward_quadctrl"), Number("reward_impact")};
    if (kIsV5) {
      spec.infos.insert(spec.infos.end(), {Number("x_position"), Number("y_position"),
                                           Number("z_distance_from_origin")});
      AddTendonInfos(config.model, spec);
    }
    return spec;
  }

  explicit HumanoidStandup(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    ResetWithNoise(constants_->noise_scale, Velocities::kUniform, rng);
  }

  StepResult Step(ActionView action, Rng&) { return Act(simulation_.Controls<float>(action)); }
  StepResult StepFloat64(ActionView action, Rng&) {
    return Act(simulation_.Controls<double>(action));
  }

  void Observe(ObsRow row) const { config_.body.Observe(simulation_, RowWriter(row)); }

  void Info(InfoRow row, bool after_reset) const {
    if (kIsV5) {
      row.Set(kXPosition, simulation_.qpos()[0]);
      row.Set(kYPosition, simulation_.qpos()[1]);
      row.Set(kZDistance, simulation_.qpos()[2] - config_.model.unchanged().qpos0[2]);
      SetTendonInfos(simulation_, kTendonLength, row);
    }
    if (after_reset) return;
    row.Set(kUpReward, up_reward_);
    row.Set(kCtrlReward, -ctrl_cost_);
    row.Set(kImpactReward, -impact_cost_);
  }

  void Save(StateWriter& state) const { SaveWith(state, up_reward_, ctrl_cost_, impact_cost_); }
  void Load(StateReader& state) { LoadWith(state, up_reward_, ctrl_cost_, impact_cost_); }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    simulation_.Step(action, constants_->frame_skip, BodyForces::kYes);
    up_reward_ = config_.height_weight * (simulation_.qpos()[2] / config_.model->timestep);
    ctrl_cost_ = constants_->ctrl_cost_weight * SquaredControls(simulation_);
    impact_cost_ = Clip(constants_->impact_cost_weight * SquaredContactForces(simulation_),
                        constants_->impact_cost_range.low, constants_->impact_cost_range.high);
    return {.reward = up_reward_ - ctrl_cost_ - impact_cost_ + config_.healthy_reward};
  }

  enum InfoField : std::size_t {
    kUpReward,
    kCtrlReward,
    kImpactReward,
    kXPosition,
    kYPosition,
    kZDistance,
    kTendonLength,
  };

  // v4 lacks the last ones.
  static constexpr Attribute<Constants> kAllAttributes[] = {
      FrameSkipAttribute<Constants>(),
      AttributeOf<&Constants::uph_cost_weight, Constants>("_uph_cost_weight"),
      AttributeOf<&Constants::ctrl_cost_weight, Constants>("_ctrl_cost_weight"),
      AttributeOf<&Constants::impact_cost_weight, Constants>("_impact_cost_weight"),
      AttributeOf<&Constants::impact_cost_range, Constants>("_impact_cost_range"),
      NoiseScaleAttribute<Constants>()};
  static constexpr std::span<const Attribute<Constants>> kAttributes{kAllAttributes, kIsV5 ? 6 : 1};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double up_reward_ = 0.0;
  double ctrl_cost_ = 0.0;
  double impact_cost_ = 0.0;
};

using HumanoidStandupV4 = HumanoidStandup<Version::kV4>;
using HumanoidStandupV5 = HumanoidStandup<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HUMANOID_STANDUP_H_
