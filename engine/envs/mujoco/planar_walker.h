// The common part of Hopper and Walker2d: legs in a plane under a torso that must stay upright.
// `Rules` has the differences. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_PLANAR_WALKER_H_
#define ENGINE_ENVS_MUJOCO_PLANAR_WALKER_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
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

// Requires of Rules: kTaskVersion, Options(), a constructor from the options, IsHealthy(qpos,
// qvel), which checks the conditions other than height and angle, and Attributes<Constants>(), an
// array of the attributes that are members of Rules.
template <class Rules>
class PlanarWalker : public Task {
 public:
  static constexpr bool kIsV5 = Rules::kTaskVersion == Version::kV5;

  static ParamSchema Options() {
    ParamSchema options = Rules::Options();
    options.insert(options.end(),
                   {FrameSkip(4), ForwardRewardWeight(1.0), CtrlCostWeight(0.001),
                    TerminateWhenUnhealthy(), ResetNoiseScale(0.005), ExcludePositions(),
                    Bounds("velocity_range", {-10.0, 10.0},
                           "Interval to which observed velocities are clipped (m/s, rad/s).")});
    return options;
  }

  struct Constants : LocomotionConstants, Rules {
    Constants(const Timing& timing, const ParamValues& options)
        : LocomotionConstants(timing, options),
          Rules(options),
          healthy_reward(options.Get<double>("healthy_reward")),
          terminates(options.Get<bool>("terminate_when_unhealthy")),
          z_range(ReadBounds(options, "healthy_z_range")),
          angle_range(ReadBounds(options, "healthy_angle_range")) {}

    double healthy_reward;
    bool terminates;
    Interval z_range;      // m
    Interval angle_range;  // rad
  };

  struct Config : Locomotion {
    explicit Config(const ParamValues& options)
        : Locomotion(options, 1),
          constants(timing, options),
          velocity_range(ReadBounds(options, "velocity_range")) {
      model.RequireAtLeast(3, model->nq, "positions (nq)");
    }

    Constants constants;
    Interval velocity_range;  // m/s or rad/s, limit of observed velocities
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
    spec.infos = {Number("x_position"), Number("x_velocity")};
    if (kIsV5) {
      spec.infos.insert(spec.infos.end(), {Number("z_distance_from_origin"),
                                           Number("reward_forward"), Number("reward_survive")});
      AddActionTerm("reward_ctrl", spec);
    }
    return spec;
  }

  explicit PlanarWalker(const Config& config)
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
    writer.Put(simulation_.qpos().subspan(config_.skipped_qpos));
    writer.PutClipped(simulation_.qvel(), config_.velocity_range.low, config_.velocity_range.high);
  }

  void Info(InfoRow row, bool after_reset) const {
    if (after_reset && !kIsV5) return;
    row.Set(kXPosition, simulation_.qpos()[0]);
    if (kIsV5) row.Set(kZDistance, simulation_.qpos()[1] - config_.model.unchanged().qpos0[1]);
    if (after_reset) return;
    row.Set(kXVelocity, x_velocity_);
    if (!kIsV5) return;
    row.Set(kForwardReward, forward_reward_);
    ctrl_reward_.SetIn(row, kCtrlReward);
    row.Set(kSurviveReward, healthy_reward_);
  }

  void Save(StateWriter& state) const {
    SaveWith(state, x_velocity_, forward_reward_, healthy_reward_, ctrl_reward_);
  }
  void Load(StateReader& state) {
    LoadWith(state, x_velocity_, forward_reward_, healthy_reward_, ctrl_reward_);
  }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    const double x_before = simulation_.qpos()[0];
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    x_velocity_ = (simulation_.qpos()[0] - x_before) / constants_->dt;
    forward_reward_ = constants_->forward_reward_weight * x_velocity_;
    const T ctrl_cost = constants_->ControlCost(action);
    ctrl_reward_ = ActionTerm(-ctrl_cost);
    const bool healthy = IsHealthy();
    healthy_reward_ = HealthyReward<Rules::kTaskVersion>(healthy, *constants_);
    return {.reward = forward_reward_ + healthy_reward_ - static_cast<double>(ctrl_cost),
            .terminated = !healthy && constants_->terminates};
  }

  enum InfoField : std::size_t {
    kXPosition,
    kXVelocity,
    kZDistance,
    kForwardReward,
    kSurviveReward,
    kCtrlReward,
  };

  bool IsHealthy() const {
    const auto qpos = simulation_.qpos();
    return constants_->Rules::IsHealthy(qpos, simulation_.qvel()) &&
           IsWithin(qpos[1], constants_->z_range) && IsWithin(qpos[2], constants_->angle_range);
  }

  // Those of both tasks, then those of Rules.
  static constexpr auto kAttributes = [] {
    constexpr auto kOfRules = Rules::template Attributes<Constants>();
    constexpr Attribute<Constants> kOfBoth[] = {
        AttributeOf<&Constants::forward_reward_weight, Constants>("_forward_reward_weight"),
        AttributeOf<&Constants::ctrl_cost_weight, Constants>("_ctrl_cost_weight"),
        AttributeOf<&Constants::healthy_reward, Constants>("_healthy_reward"),
        AttributeOf<&Constants::terminates, Constants>("_terminate_when_unhealthy"),
        AttributeOf<&Constants::z_range, Constants>("_healthy_z_range"),
        AttributeOf<&Constants::angle_range, Constants>("_healthy_angle_range"),
        NoiseScaleAttribute<Constants>(),
        FrameSkipAttribute<Constants>()};
    std::array<Attribute<Constants>, std::size(kOfBoth) + kOfRules.size()> all{};
    std::ranges::copy(kOfRules, std::ranges::copy(kOfBoth, all.begin()).out);
    return all;
  }();

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double x_velocity_ = 0.0;  // m/s
  double forward_reward_ = 0.0;
  double healthy_reward_ = 0.0;
  ActionTerm ctrl_reward_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_PLANAR_WALKER_H_
