// Ant: run along x on four legs without falling or flying. The tasks are Gymnasium 1.4.0's Ant-v4
// and Ant-v5 with its ant.xml. MuJoCo computes the dynamics, the other arithmetic is Gymnasium's,
// and trajectories are bit-equal to Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ANT_H_
#define ENGINE_ENVS_MUJOCO_ANT_H_

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
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
class Ant : public Task {
 public:
  static constexpr bool kIsV5 = kVersion == Version::kV5;

  static ParamSchema Options() {
    return {
        XmlFile("ant.xml"),
        FrameSkip(5),
        ForwardRewardWeight(1.0),
        CtrlCostWeight(0.5),
        Weight("contact_cost_weight", 5e-4, "Weight of the squared contact forces in the cost."),
        HealthyRewardOption(1.0),
        FixedBefore(Version::kV5, kVersion, MainBody()),
        TerminateWhenUnhealthy(),
        Bounds("healthy_z_range", {0.2, 1.0},
               "Torso heights that count as healthy (m), inclusive."),
        Bounds("contact_force_range", {-1.0, 1.0},
               "Interval to which contact forces are clipped (N, N m)."),
        ResetNoiseScale(0.1),
        ExcludePositions(),
        CameraConfig(kVersion, {{"distance", {4.0}}}),
        ObservesForces()};
  }

  struct Constants : LocomotionConstants {
    Constants(const Timing& timing, const ParamValues& options)
        : LocomotionConstants(timing, options),
          contact_cost_weight(options.Get<double>("contact_cost_weight")),
          healthy_reward(options.Get<double>("healthy_reward")),
          terminates(options.Get<bool>("terminate_when_unhealthy")),
          z_range(ReadBounds(options, "healthy_z_range")),
          force_range(ReadBounds(options, "contact_force_range")) {}

    double contact_cost_weight;
    double healthy_reward;
    bool terminates;
    Interval z_range;      // m
    Interval force_range;  // N, N m
  };

  struct Config : Locomotion {
    explicit Config(const ParamValues& options)
        : Config(LoadModel(options.Get<std::string>("xml_file")), options) {}
    Config(BaseModelPtr base, const ParamValues& options)
        : Locomotion(std::move(base), options, 2),
          constants(timing, options),
          main_body(ReadMainBody(options, model)),
          observes_forces(options.Get<bool>(kObservesForces)) {
      model.RequireAtLeast(3, model->nq, "positions (nq)");
    }

    // v5 always computes the forces. v4 computes them only if observations include them.
    bool counts_forces() const { return kIsV5 || observes_forces; }
    std::int64_t num_forces() const {
      return observes_forces ? kForcesOfABody * (model->nbody - kFirstObserved) : 0;
    }

    Constants constants;
    int main_body;  // the body whose speed is rewarded
    bool observes_forces;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) { return Spec(Config(options)); }
  static EnvSpec Spec(const Config& config) {
    EnvSpec spec = SpecOf(config, config.state_size() + config.num_forces());
    // If contacts count, v4 reports the contact reward under the name of the control reward.
    spec.infos = {
        Number("x_position"),           Number("y_position"),
        Number("distance_from_origin"), Number("x_velocity"),
        Number("y_velocity"),           Number("reward_forward"),
        Number("reward_survive"),       Number(kIsV5 ? "reward_contact" : "forward_reward")};
    if (kIsV5 || !config.counts_forces()) {
      AddActionTerm("reward_ctrl", spec);
    } else {
      spec.infos.push_back(Number("reward_ctrl"));
    }
    return spec;
  }

  explicit Ant(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    ResetWithNoise(constants_->noise_scale, Velocities::kNormal, rng);
  }

  StepResult Step(ActionView action, Rng&) { return Act(simulation_.Controls<float>(action)); }
  StepResult StepFloat64(ActionView action, Rng&) {
    return Act(simulation_.Controls<double>(action));
  }

  void Observe(ObsRow row) const { WriteObservation(row.Data<double>(), config_.skipped_qpos); }
  // Writes an observation without the first `skipped_qpos` positions.
  void WriteObservation(double* to, std::size_t skipped_qpos) const {
    RowWriter writer(to);
    PutState(writer, skipped_qpos);
    if (!config_.observes_forces) return;
    writer.PutClipped(Forces().subspan(kForcesOfABody * kFirstObserved),
                      constants_->force_range.low, constants_->force_range.high);
  }

  void Info(InfoRow row, bool after_reset) const {
    if (after_reset && !kIsV5) return;
    // v4 uses the position of the body, which lags behind the joint positions.
    const double* const position =
        kIsV5 ? simulation_.data().qpos : simulation_.data().xpos + 3 * config_.main_body;
    row.Set(kXPosition, position[0]);
    row.Set(kYPosition, position[1]);
    row.Set(kDistance, Norm({position, 2}));
    if (after_reset) return;
    row.Set(kXVelocity, x_velocity_);
    row.Set(kYVelocity, y_velocity_);
    row.Set(kForwardReward, forward_reward_);
    row.Set(kSurviveReward, healthy_reward_);
    row.Set(kContactReward, kIsV5 ? -contact_cost_ : forward_reward_);
    if (kIsV5 || !config_.counts_forces()) {
      ctrl_reward_.SetIn(row, kCtrlReward);
    } else {
      row.Set(kCtrlReward, -contact_cost_);
    }
  }

  void Save(StateWriter& state) const {
    SaveWith(state, x_velocity_, y_velocity_, forward_reward_, healthy_reward_, contact_cost_,
             ctrl_reward_);
  }
  void Load(StateReader& state) {
    LoadWith(state, x_velocity_, y_velocity_, forward_reward_, healthy_reward_, contact_cost_,
             ctrl_reward_);
  }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    const bool counts_forces = config_.counts_forces();
    const double* const body = simulation_.data().xpos + 3 * config_.main_body;
    const double x_before = body[0];
    const double y_before = body[1];
    simulation_.Step(action, constants_->frame_skip,
                     counts_forces ? BodyForces::kYes : BodyForces::kNo);
    x_velocity_ = (body[0] - x_before) / constants_->dt;
    y_velocity_ = (body[1] - y_before) / constants_->dt;

    const bool healthy = IsHealthy();
    forward_reward_ = x_velocity_ * constants_->forward_reward_weight;
    healthy_reward_ = HealthyReward<kVersion>(healthy, *constants_);
    const T ctrl_cost = constants_->ControlCost(action);
    ctrl_reward_ = ActionTerm(-ctrl_cost);
    contact_cost_ = counts_forces ? ContactCost() : 0.0;
    const double costs = static_cast<double>(ctrl_cost) + contact_cost_;
    return {.reward = forward_reward_ + healthy_reward_ - costs,
            .terminated = !healthy && constants_->terminates};
  }

  static constexpr const char* kObservesForces =
      kIsV5 ? "include_cfrc_ext_in_observation" : "use_contact_forces";
  static constexpr int kForcesOfABody = 6;
  // Body 0 is the world. v5 does not observe its forces.
  static constexpr int kFirstObserved = kIsV5 ? 1 : 0;

  enum InfoField : std::size_t {
    kXPosition,
    kYPosition,
    kDistance,
    kXVelocity,
    kYVelocity,
    kForwardReward,
    kSurviveReward,
    kContactReward,                        // v5
    kForwardRewardAgain = kContactReward,  // v4 reports the forward reward under two names
    kCtrlReward,
  };

  static ParamSpec ObservesForces() {
    return kIsV5 ? Flag(kObservesForces, true, "Whether observations include the contact forces.")
                 : Flag(kObservesForces, false,
                        "Whether contact forces are part of the observation and the cost.");
  }

  static ParamSpec MainBody() {
    ParamSpec option{.name = "main_body",
                     .default_value = std::int64_t{1},
                     .doc = "The body whose velocity is rewarded, by its id or name.",
                     .low = 0.0,
                     .high = std::nullopt};
    option.or_name = true;
    return option;
  }

  static int ReadMainBody(const ParamValues& options, const Model& model) {
    if (kVersion == Version::kV4) return model.BodyId("torso");
    if (options.Holds<std::string>("main_body")) {
      return model.BodyId(options.Get<std::string>("main_body"));
    }
    const auto body = options.Get<std::int64_t>("main_body");
    if (body < model->nbody) return static_cast<int>(body);
    throw Error(ErrorKind::kOption, "main_body: expected a body's name or number in [0, " +
                                        std::to_string(model->nbody - 1) + "], got " +
                                        std::to_string(body));
  }

  // The contact forces of all bodies, six values per body.
  std::span<const double> Forces() const {
    return {simulation_.data().cfrc_ext,
            static_cast<std::size_t>(kForcesOfABody * simulation_.model().nbody)};
  }

  double ContactCost() const {
    const auto forces = Forces();
    const auto square = [&](std::size_t i) {
      const double force =
          Clip(forces[i], constants_->force_range.low, constants_->force_range.high);
      return force * force;
    };
    return constants_->contact_cost_weight * PairwiseSum<double>(square, 0, forces.size());
  }

  bool IsHealthy() const {
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const double z = simulation_.qpos()[2];
    return std::ranges::all_of(simulation_.qpos(), is_finite) &&
           std::ranges::all_of(simulation_.qvel(), is_finite) && constants_->z_range.low <= z &&
           z <= constants_->z_range.high;
  }

  // v4 lacks the last ones.
  static constexpr Attribute<Constants> kAllAttributes[] = {
      AttributeOf<&Constants::ctrl_cost_weight, Constants>("_ctrl_cost_weight"),
      AttributeOf<&Constants::contact_cost_weight, Constants>("_contact_cost_weight"),
      AttributeOf<&Constants::healthy_reward, Constants>("_healthy_reward"),
      AttributeOf<&Constants::terminates, Constants>("_terminate_when_unhealthy"),
      AttributeOf<&Constants::z_range, Constants>("_healthy_z_range"),
      AttributeOf<&Constants::force_range, Constants>("_contact_force_range"),
      NoiseScaleAttribute<Constants>(),
      FrameSkipAttribute<Constants>(),
      AttributeOf<&Constants::forward_reward_weight, Constants>("_forward_reward_weight")};
  static constexpr std::span<const Attribute<Constants>> kAttributes{kAllAttributes, kIsV5 ? 9 : 8};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double x_velocity_ = 0.0;  // m/s
  double y_velocity_ = 0.0;
  double forward_reward_ = 0.0;
  double healthy_reward_ = 0.0;
  double contact_cost_ = 0.0;
  ActionTerm ctrl_reward_;
};

using AntV4 = Ant<Version::kV4>;
using AntV5 = Ant<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_ANT_H_
