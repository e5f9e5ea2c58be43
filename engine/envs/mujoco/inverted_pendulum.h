// InvertedPendulum: keep a pole upright on a cart. The tasks are Gymnasium 1.4.0's
// InvertedPendulum-v4 and InvertedPendulum-v5 with its inverted_pendulum.xml. MuJoCo computes the
// dynamics, the other arithmetic is Gymnasium's, and trajectories are bit-equal to Gymnasium's.
// Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_INVERTED_PENDULUM_H_
#define ENGINE_ENVS_MUJOCO_INVERTED_PENDULUM_H_

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class InvertedPendulum : public Task {
 public:
  static constexpr bool kIsV5 = kVersion == Version::kV5;

  static ParamSchema Options() {
    return {XmlFile("inverted_pendulum.xml"), FrameSkip(2), ResetNoiseScale(0.01),
            CameraConfig(kVersion, {{"trackbodyid", {0.0}}, {"distance", {2.04}}}),
            Bounds("healthy_angle_range", {-0.2, 0.2},
                   "Angles of the pole that count as healthy (rad), inclusive.")};
  }

  struct Constants : Timing {
    double noise_scale;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options),
          constants{timing, ReadNoiseScale(options)},
          angle_range(ReadBounds(options, "healthy_angle_range")) {
      model.RequireAtLeast(2, model->nq, "positions (nq)");
    }

    Constants constants;
    Interval angle_range;  // rad
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    // Gymnasium uses size 4 for every model.
    EnvSpec spec = SpecOf(config, config.model->nq + config.model->nv);
    if (kIsV5) spec.infos = {Number("reward_survive", DType::kInt64)};
    return spec;
  }

  explicit InvertedPendulum(const Config& config)
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
    PutState(writer, 0);
  }

  void Info(InfoRow row, bool after_reset) const {
    if (kIsV5 && !after_reset) row.Set<std::int64_t>(0, upright_ ? 1 : 0);
  }

  void Save(StateWriter& state) const { SaveWith(state, upright_); }
  void Load(StateReader& state) { LoadWith(state, upright_); }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    upright_ = std::ranges::all_of(simulation_.qpos(), is_finite) &&
               std::ranges::all_of(simulation_.qvel(), is_finite) &&
               config_.angle_range.low <= simulation_.qpos()[1] &&
               simulation_.qpos()[1] <= config_.angle_range.high;
    // v4 also rewards the step that ends the episode.
    return {.reward = upright_ || !kIsV5 ? 1.0 : 0.0, .terminated = !upright_};
  }

  // v4 lacks the last ones.
  static constexpr Attribute<Constants> kAllAttributes[] = {FrameSkipAttribute<Constants>(),
                                                            NoiseScaleAttribute<Constants>()};
  static constexpr std::span<const Attribute<Constants>> kAttributes{kAllAttributes, kIsV5 ? 2 : 1};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  bool upright_ = true;  // after the latest step
};

using InvertedPendulumV4 = InvertedPendulum<Version::kV4>;
using InvertedPendulumV5 = InvertedPendulum<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_INVERTED_PENDULUM_H_
