// HalfCheetah: a two-legged body in a plane, to run forward. Gymnasium 1.4.0's
// tasks of that name in its own arithmetic, so that trajectories are bit-equal
// to it. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_HALF_CHEETAH_H_
#define ENGINE_ENVS_MUJOCO_HALF_CHEETAH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/environment.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco {

template <Version kVersion>
class HalfCheetah {
 public:
  static ParamSchema Options() {
    return {FixedBefore(Version::kV5, kVersion, XmlFile("half_cheetah.xml")),
            FixedBefore(Version::kV5, kVersion, FrameSkip(5)),
            Weight("forward_reward_weight", 1.0, "Weight of the speed in the reward (s/m)."),
            Weight("ctrl_cost_weight", 0.1, "Weight of the squared action in the cost."),
            ResetNoiseScale(0.1),
            ExcludePositions()};
  }
  static ParamSchema ResetOptions() { return {}; }

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options, {.distance = 4.0}),
          forward_reward_weight(options.Get<double>("forward_reward_weight")),
          ctrl_cost_weight(static_cast<float>(options.Get<double>("ctrl_cost_weight"))),
          noise_scale(ReadNoiseScale(options)),
          skipped_qpos(options.Get<bool>("exclude_current_positions_from_observation") ? 1 : 0) {
      model.RequireAtLeast(1, model->nq, "positions (nq)");
    }

    double forward_reward_weight;
    float ctrl_cost_weight;
    double noise_scale;
    std::size_t skipped_qpos;  // of an observation
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    EnvSpec spec = SpecOf(config, config.model->nq + config.model->nv -
                                      static_cast<std::int64_t>(config.skipped_qpos));
    spec.infos = {Number("x_position"), Number("x_velocity"),
                  Number(kVersion == Version::kV5 ? "reward_forward" : "reward_run"),
                  Number("reward_ctrl", DType::kFloat32)};
    return spec;
  }

  explicit HalfCheetah(const Config& config) : config_(config), simulation_(config.model) {}

  void Reset(const Start&, Rng& rng) {
    simulation_.BeginReset();
    AddUniform(simulation_.qpos(), config_.noise_scale, rng);
    AddNormal(simulation_.qvel(), config_.noise_scale, rng);
    simulation_.EndReset();
  }

  StepResult Step(ActionView view, Rng&) {
    const auto action = simulation_.Controls(view.Data<float>());
    const double x_before = simulation_.qpos()[0];
    simulation_.Step(action, config_.frame_skip, BodyForces::kNo);
    x_velocity_ = (simulation_.qpos()[0] - x_before) / config_.dt;
    forward_reward_ = config_.forward_reward_weight * x_velocity_;
    ctrl_cost_ = config_.ctrl_cost_weight * SumOfSquares(action);
    return {.reward = forward_reward_ - static_cast<double>(ctrl_cost_)};
  }

  void Observe(ObsRow row) const {
    RowWriter writer(row);
    writer.Put(simulation_.qpos().subspan(config_.skipped_qpos));
    writer.Put(simulation_.qvel());
  }

  void Render(std::span<std::uint8_t> rgb) const { simulation_.Render(config_.renderer, rgb); }
  void EnableRender() { config_.renderer.Open(); }

  void Info(InfoRow row, bool after_reset) const {
    if (after_reset && kVersion == Version::kV4) return;
    row.Set(kXPosition, simulation_.qpos()[0]);
    if (after_reset) return;
    row.Set(kXVelocity, x_velocity_);
    row.Set(kForwardReward, forward_reward_);
    row.Set(kCtrlReward, -ctrl_cost_);
  }

 private:
  enum InfoField : std::size_t { kXPosition, kXVelocity, kForwardReward, kCtrlReward };

  const Config& config_;
  Simulation simulation_;
  // Of the latest step.
  double x_velocity_ = 0.0;  // m/s
  double forward_reward_ = 0.0;
  float ctrl_cost_ = 0.0f;
};

using HalfCheetahV4 = HalfCheetah<Version::kV4>;
using HalfCheetahV5 = HalfCheetah<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HALF_CHEETAH_H_
