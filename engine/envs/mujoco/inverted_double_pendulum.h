// InvertedDoublePendulum: keep two poles upright, one on top of the other, on a cart. The tasks are
// Gymnasium 1.4.0's InvertedDoublePendulum-v4 and InvertedDoublePendulum-v5 with its
// inverted_double_pendulum.xml. MuJoCo computes the dynamics, the other arithmetic is Gymnasium's,
// and trajectories are bit-equal to Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_INVERTED_DOUBLE_PENDULUM_H_
#define ENGINE_ENVS_MUJOCO_INVERTED_DOUBLE_PENDULUM_H_

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class InvertedDoublePendulum : public Task {
 public:
  static constexpr bool kIsV5 = kVersion == Version::kV5;

  static ParamSchema Options() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const NumberTable camera = {{"trackbodyid", {0.0}},
                                {"distance", {4.1225}},
                                {"lookat", {0.0, 0.0, 0.12250000000000005}}};
    return {
        XmlFile("inverted_double_pendulum.xml"),
        FrameSkip(5),
        Weight("healthy_reward", 10.0, "Reward for a step that does not terminate the episode."),
        ResetNoiseScale(0.1),
        CameraConfig(kVersion, kIsV5 ? NumberTable{} : camera),
        Bounds("healthy_z_range", {1.0, kInfinity},
               "Heights of the tip that count as healthy (m), exclusive."),
        Bounds("observation_range", {-10.0, 10.0},
               "Interval to which observed velocities and constraint forces are clipped.")};
  }

  struct Constants : Timing {
    double healthy_reward;
    double noise_scale;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options),
          constants{timing, options.Get<double>("healthy_reward"), ReadNoiseScale(options)},
          z_range(ReadBounds(options, "healthy_z_range")),
          observation_range(ReadBounds(options, "observation_range")) {
      model.RequireAtLeast(1, model->nq, "positions (nq)");
      model.RequireAtLeast(3, model->nv, "velocities (nv)");
      model.RequireAtLeast(1, model->nsite, "sites");
    }

    // The number of observed constraint forces. v5 observes only the force on the cart.
    std::size_t num_forces() const { return kIsV5 ? 1 : static_cast<std::size_t>(model->nv); }

    Constants constants;
    Interval z_range;            // m
    Interval observation_range;  // limits velocities and forces
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    // The cart's position, and the sines and cosines of the poles' angles. Gymnasium uses the size
    // for its own model even with another model.
    const std::int64_t positions = 1 + 2 * (config.model->nq - 1);
    EnvSpec spec = SpecOf(
        config, positions + config.model->nv + static_cast<std::int64_t>(config.num_forces()));
    if (kIsV5) {
      spec.infos = {Number("reward_survive"), Number("distance_penalty"),
                    Number("velocity_penalty")};
    }
    return spec;
  }

  explicit InvertedDoublePendulum(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    ResetWithNoise(constants_->noise_scale, Velocities::kNormal, rng);
  }

  StepResult Step(ActionView action, Rng&) { return Act(simulation_.Controls<float>(action)); }
  StepResult StepFloat64(ActionView action, Rng&) {
    return Act(simulation_.Controls<double>(action));
  }

  void Observe(ObsRow row) const {
    const auto qpos = simulation_.qpos();
    RowWriter writer(row);
    writer.Put(qpos[0]);
    for (const double angle : qpos.subspan(1)) writer.Put(NumpySin(angle));
    for (const double angle : qpos.subspan(1)) writer.Put(NumpyCos(angle));
    const auto [low, high] = config_.observation_range;
    writer.PutClipped(simulation_.qvel(), low, high);
    writer.PutClipped(std::span(simulation_.data().qfrc_constraint, config_.num_forces()), low,
                      high);
  }

  void Info(InfoRow row, bool after_reset) const {
    if (!kIsV5 || after_reset) return;
    row.Set(kSurviveReward, alive_bonus_);
    row.Set(kDistancePenalty, -distance_penalty_);
    row.Set(kVelocityPenalty, -velocity_penalty_);
  }

  void Save(StateWriter& state) const {
    SaveWith(state, alive_bonus_, distance_penalty_, velocity_penalty_);
  }
  void Load(StateReader& state) {
    LoadWith(state, alive_bonus_, distance_penalty_, velocity_penalty_);
  }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    const double x = simulation_.data().site_xpos[0];
    const double height = simulation_.data().site_xpos[2];
    const bool terminated = height <= config_.z_range.low || height >= config_.z_range.high;
    distance_penalty_ = 0.01 * PowSquare(x) + PowSquare(height - 2.0);
    const auto speeds = simulation_.qvel();
    velocity_penalty_ = 0.001 * PowSquare(speeds[1]) + 0.005 * PowSquare(speeds[2]);
    // v4 also gives the bonus for the step that ends the episode.
    alive_bonus_ = constants_->healthy_reward * (terminated && kIsV5 ? 0.0 : 1.0);
    return {.reward = alive_bonus_ - distance_penalty_ - velocity_penalty_,
            .terminated = terminated};
  }

  enum InfoField : std::size_t { kSurviveReward, kDistancePenalty, kVelocityPenalty };

  // v4 lacks the last ones.
  static constexpr Attribute<Constants> kAllAttributes[] = {
      FrameSkipAttribute<Constants>(),
      AttributeOf<&Constants::healthy_reward, Constants>("_healthy_reward"),
      NoiseScaleAttribute<Constants>()};
  static constexpr std::span<const Attribute<Constants>> kAttributes{kAllAttributes, kIsV5 ? 3 : 1};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double alive_bonus_ = 0.0;
  double distance_penalty_ = 0.0;
  double velocity_penalty_ = 0.0;
};

using InvertedDoublePendulumV4 = InvertedDoublePendulum<Version::kV4>;
using InvertedDoublePendulumV5 = InvertedDoublePendulum<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_INVERTED_DOUBLE_PENDULUM_H_
