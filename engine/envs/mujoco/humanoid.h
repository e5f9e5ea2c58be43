// Humanoid: walk along x without falling, with a body that has two arms and two legs. The tasks are
// Gymnasium 1.4.0's Humanoid-v4 and Humanoid-v5 with its humanoid.xml. MuJoCo computes the
// dynamics, the other arithmetic is Gymnasium's, and trajectories are bit-equal to Gymnasium's.
// Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_HUMANOID_H_
#define ENGINE_ENVS_MUJOCO_HUMANOID_H_

#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/numpy_arrays.h"
#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/humanoid_body.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class Humanoid : public Task {
 public:
  static constexpr bool kIsV5 = kVersion == Version::kV5;

  static ParamSchema Options() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    ParamSchema options = {
        XmlFile("humanoid.xml"),
        FrameSkip(5),
        ForwardRewardWeight(1.25),
        CtrlCostWeight(0.1),
        Weight("contact_cost_weight", 5e-7, "Weight of the squared contact forces."),
        Bounds("contact_cost_range", {-kInfinity, 10.0},
               "Interval to which the contact cost is clipped."),
        HealthyRewardOption(5.0),
        TerminateWhenUnhealthy(),
        Bounds("healthy_z_range", {1.0, 2.0},
               "Torso heights that count as healthy (m), exclusive."),
        ResetNoiseScale(0.01),
        ExcludePositions(),
        CameraConfig(kVersion, {{"trackbodyid", {1.0}},
                                {"distance", {4.0}},
                                {"lookat", {0.0, 0.0, 2.0}},
                                {"elevation", {-20.0}}})};
    const ParamSchema parts = HumanoidParts(kVersion);
    options.insert(options.end(), parts.begin(), parts.end());
    if (!kIsV5) {
      options.push_back(Flag(kCountsContacts, false, "Whether contact forces have a cost."));
    }
    return options;
  }

  struct Constants : Timing {
    Constants(const Timing& timing, const ParamValues& options)
        : Timing(timing),
          forward_reward_weight(options.Get<double>("forward_reward_weight")),
          ctrl_cost_weight(options.Get<double>("ctrl_cost_weight")),
          contact_cost_weight(options.Get<double>("contact_cost_weight")),
          contact_cost_range(ReadBounds(options, "contact_cost_range")),
          healthy_reward(options.Get<double>("healthy_reward")),
          terminates(options.Get<bool>("terminate_when_unhealthy")),
          z_range(ReadBounds(options, "healthy_z_range")),
          noise_scale(ReadNoiseScale(options)) {}

    double forward_reward_weight;
    double ctrl_cost_weight;
    double contact_cost_weight;
    Interval contact_cost_range;
    double healthy_reward;
    bool terminates;
    Interval z_range;  // m
    double noise_scale;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options),
          constants(timing, options),
          body(options, model, kVersion),
          counts_contacts(kIsV5 || options.Get<bool>(kCountsContacts)),
          mass(Sum({model->body_mass, static_cast<std::size_t>(model->nbody)})) {}

    Constants constants;
    HumanoidBody body;
    bool counts_contacts;
    double mass;  // kg, sum of all bodies
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
    spec.infos = {Number("x_position"),
                  Number("y_position"),
                  Number("distance_from_origin"),
                  Number("x_velocity"),
                  Number("y_velocity"),
                  Number(kIsV5 ? "reward_forward" : "reward_linvel"),
                  Number(kIsV5 ? "reward_ctrl" : "reward_quadctrl"),
                  Number(kIsV5 ? "reward_survive" : "reward_alive"),
                  Number(kIsV5 ? "reward_contact" : "forward_reward")};
    if (kIsV5) {
      AddTendonInfos(config.model, spec);
    } else if (config.counts_contacts) {
      spec.infos.push_back(Number("reward_contact"));
    }
    return spec;
  }

  explicit Humanoid(const Config& config)
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
    if (after_reset && !kIsV5) return;
    // v4 reports the position of the centre of mass, and v5 reports the position of the root.
    const double x = kIsV5 ? simulation_.qpos()[0] : mass_center_.x;
    const double y = kIsV5 ? simulation_.qpos()[1] : mass_center_.y;
    const double position[] = {x, y};
    row.Set(kXPosition, x);
    row.Set(kYPosition, y);
    row.Set(kDistance, Norm(position));
    if (kIsV5) SetTendonInfos(simulation_, kTendonLength, row);
    if (after_reset) return;
    row.Set(kXVelocity, velocity_.x);
    row.Set(kYVelocity, velocity_.y);
    row.Set(kForwardReward, forward_reward_);
    row.Set(kCtrlReward, -ctrl_cost_);
    row.Set(kSurviveReward, healthy_reward_);
    row.Set(kLast, kIsV5 ? -contact_cost_ : forward_reward_);
    if (!kIsV5 && config_.counts_contacts) row.Set(kContactOfV4, -contact_cost_);
  }

  void Save(StateWriter& state) const {
    SaveWith(state, mass_center_, velocity_, forward_reward_, healthy_reward_, ctrl_cost_,
             contact_cost_);
  }
  void Load(StateReader& state) {
    LoadWith(state, mass_center_, velocity_, forward_reward_, healthy_reward_, ctrl_cost_,
             contact_cost_);
  }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    const Point before = MassCenter();
    simulation_.Step(action, constants_->frame_skip, BodyForces::kYes);
    mass_center_ = MassCenter();
    velocity_ = {.x = (mass_center_.x - before.x) / constants_->dt,
                 .y = (mass_center_.y - before.y) / constants_->dt};

    const bool healthy = IsWithin(simulation_.qpos()[2], constants_->z_range);
    forward_reward_ = constants_->forward_reward_weight * velocity_.x;
    healthy_reward_ = HealthyReward<kVersion>(healthy, *constants_);
    ctrl_cost_ = constants_->ctrl_cost_weight * SquaredControls(simulation_);
    double costs = ctrl_cost_;
    if (config_.counts_contacts) {
      contact_cost_ = Clip(constants_->contact_cost_weight * SquaredContactForces(simulation_),
                           constants_->contact_cost_range.low, constants_->contact_cost_range.high);
      costs += contact_cost_;
    }
    return {.reward = forward_reward_ + healthy_reward_ - costs,
            .terminated = !healthy && constants_->terminates};
  }

  static constexpr const char* kCountsContacts = "use_contact_forces";

  struct Point {
    double x = 0.0;
    double y = 0.0;
  };

  enum InfoField : std::size_t {
    kXPosition,
    kYPosition,
    kDistance,
    kXVelocity,
    kYVelocity,
    kForwardReward,
    kCtrlReward,
    kSurviveReward,
    kLast,                         // v5: reward_contact; v4: forward_reward, equal to reward_linvel
    kTendonLength,                 // v5
    kContactOfV4 = kTendonLength,  // v4, if contacts count
  };

  // The horizontal position of the centre of mass.
  Point MassCenter() const {
    const ModelFields& model = simulation_.model();
    Point sum;
    for (std::int64_t body = 0; body < model.nbody; ++body) {
      const double mass = model.body_mass[body];
      const double* const center = &simulation_.data().xipos[3 * body];
      sum = {.x = EinsumAdd(sum.x, mass, center[0]), .y = EinsumAdd(sum.y, mass, center[1])};
    }
    return {.x = sum.x / config_.mass, .y = sum.y / config_.mass};
  }

  // v4 lacks the last ones.
  static constexpr Attribute<Constants> kAllAttributes[] = {
      AttributeOf<&Constants::forward_reward_weight, Constants>("_forward_reward_weight"),
      AttributeOf<&Constants::ctrl_cost_weight, Constants>("_ctrl_cost_weight"),
      AttributeOf<&Constants::healthy_reward, Constants>("_healthy_reward"),
      AttributeOf<&Constants::terminates, Constants>("_terminate_when_unhealthy"),
      AttributeOf<&Constants::z_range, Constants>("_healthy_z_range"),
      NoiseScaleAttribute<Constants>(),
      FrameSkipAttribute<Constants>(),
      AttributeOf<&Constants::contact_cost_weight, Constants>("_contact_cost_weight"),
      AttributeOf<&Constants::contact_cost_range, Constants>("_contact_cost_range")};
  static constexpr std::span<const Attribute<Constants>> kAttributes{kAllAttributes, kIsV5 ? 9 : 7};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  Point mass_center_;  // m
  Point velocity_;     // m/s
  double forward_reward_ = 0.0;
  double healthy_reward_ = 0.0;
  double ctrl_cost_ = 0.0;
  double contact_cost_ = 0.0;
};

using HumanoidV4 = Humanoid<Version::kV4>;
using HumanoidV5 = Humanoid<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HUMANOID_H_
