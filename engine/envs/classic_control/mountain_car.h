// MountainCar: drive an underpowered car out of a valley, up the right hill, with three discrete
// actions. The dynamics are those of Moore (1990) and of Sutton's MountainCar1. The arithmetic
// follows the order of Gymnasium 1.4.0's MountainCarEnv, and trajectories are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/env/environment.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

class MountainCar {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "goal_velocity",
             .default_value = 0.0,
             .doc = "Least velocity at which the goal counts as reached (1/step).",
             .low = {},
             .high = {}}};
  }

  static ParamSchema ResetOptions() {
    // A step computes three times the position, which must be finite.
    return ResetBounds::Options(-0.6, -0.4, std::numeric_limits<double>::max() / 4.0,
                                "the position");
  }

  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>(
        {2}, {static_cast<float>(kMinPosition), static_cast<float>(-kMaxSpeed)},
        {static_cast<float>(kMaxPosition), static_cast<float>(kMaxSpeed)});
    spec.action = SpaceSpec::Discrete(3);  // 0: accelerate left, 1: coast, 2: accelerate right
    spec.scene_size = 1;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : goal_velocity(options.Get<double>("goal_velocity")) {}
    double goal_velocity;  // 1/step
  };

  using Start = ResetBounds;

  explicit MountainCar(const Config& config) : config_(&config) {}

  void Reset(const Start& start, Rng& rng) {
    position_ = rng.Uniform(start.low(), start.high());
    velocity_ = 0.0;
  }

  StepResult Step(ActionView action, Rng&) {
    const auto direction = static_cast<double>(action.Index() - 1);
    const double change = direction * kForce + std::cos(3.0 * position_) * -kGravity;
    velocity_ = std::clamp(velocity_ + change, -kMaxSpeed, kMaxSpeed);
    position_ = std::clamp(position_ + velocity_, kMinPosition, kMaxPosition);
    if (position_ == kMinPosition && velocity_ < 0.0) velocity_ = 0.0;
    const bool terminated = position_ >= kGoalPosition && velocity_ >= config_->goal_velocity;
    return {.reward = -1.0, .terminated = terminated};
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    obs[0] = static_cast<float>(position_);
    obs[1] = static_cast<float>(velocity_);
  }

  // The car's position.
  void Scene(std::span<double> scene) const { scene[0] = position_; }

  void Save(StateWriter& state) const {
    state.Put(position_);
    state.Put(velocity_);
  }
  void Load(StateReader& state) {
    state.Get(position_);
    state.Get(velocity_);
  }

 private:
  // Lengths are in the unit of the model, and times are in steps.
  static constexpr double kMinPosition = -1.2;
  static constexpr double kMaxPosition = 0.6;
  static constexpr double kMaxSpeed = 0.07;
  static constexpr double kGoalPosition = 0.5;
  static constexpr double kForce = 0.001;     // change of velocity per step
  static constexpr double kGravity = 0.0025;  // change of velocity per step on the steepest slope

  double position_ = 0.0;
  double velocity_ = 0.0;
  const Config* config_;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_H_
