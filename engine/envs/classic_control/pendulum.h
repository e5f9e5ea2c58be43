// Pendulum: swing up and hold a rigid pendulum with a limited torque at its pivot. The dynamics,
// the cost and the arithmetic are those of Gymnasium 1.4.0's PendulumEnv under NumPy 2, and
// trajectories are bit-equal to Gymnasium's. Version 0 is Gym's Pendulum-v0, which moves the angle
// before it limits the speed. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_PENDULUM_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_PENDULUM_H_

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"

namespace engine::classic_control {

class Pendulum {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return OptionsOf(1); }
  static ParamSchema OptionsOf(std::int64_t version) {
    return {{.name = "g",
             .default_value = 10.0,
             .doc = "Acceleration of gravity (m/s^2).",
             .low = {},
             .high = {}},
            {.name = "version",
             .default_value = version,
             .doc = "0: moves the angle, then limits the speed; 1: limits the speed first.",
             .low = 0.0,
             .high = 1.0}};
  }

  static ParamSchema ResetOptions() {
    // The initial state is drawn from [-bound, bound]. The width of this interval must be finite.
    constexpr double kWidest = std::numeric_limits<double>::max() / 2.0;
    return {{.name = "x_init",
             .default_value = std::numbers::pi,
             .doc = "The initial angle is uniform in [-x_init, x_init] (rad).",
             .low = 0.0,
             .high = kWidest},
            {.name = "y_init",
             .default_value = 1.0,
             .doc = "The initial angular velocity is uniform in [-y_init, y_init] (rad/s).",
             .low = 0.0,
             .high = kWidest}};
  }

  static EnvSpec Spec(const ParamValues&) {
    constexpr auto kSpeed = static_cast<float>(kMaxSpeed);
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({3}, {-1.0f, -1.0f, -kSpeed}, {1.0f, 1.0f, kSpeed});
    spec.action = SpaceSpec::Box<float>({1}, -kMaxTorque, kMaxTorque);
    spec.action_out_of_bounds = OutOfBounds::kEnvClips;
    spec.scene_size = 3;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : gravity_term(3.0 * options.Get<double>("g") / (2.0 * kLength)),
          moves_first(options.Get<std::int64_t>("version") == 0) {}
    double gravity_term;  // angular acceleration of a horizontal pendulum, rad/s^2
    bool moves_first;     // whether the angle moves by the speed before its limit
  };

  struct Start {
    explicit Start(const ParamValues& options)
        // + 0.0 turns -0.0 into 0.0, because the width of the interval must not be -0.0.
        : max_theta(options.Get<double>("x_init") + 0.0),
          max_theta_dot(options.Get<double>("y_init") + 0.0) {}
    double max_theta;      // rad
    double max_theta_dot;  // rad/s
  };

  explicit Pendulum(const Config& config) : config_(&config) {}

  void Reset(const Start& start, Rng& rng) {
    theta_ = rng.Uniform(-start.max_theta, start.max_theta);
    theta_dot_ = rng.Uniform(-start.max_theta_dot, start.max_theta_dot);
    torque_ = kNoTorque;
  }

  StepResult Step(ActionView action, Rng&) { return Push(*action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Push(*action.Data<double>()); }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    const auto [sine, cosine] = NumpySinCos(theta_);
    obs[0] = static_cast<float>(cosine);
    obs[1] = static_cast<float>(sine);
    obs[2] = static_cast<float>(theta_dot_);
  }

  // The angle (rad); the torque of the latest step (N m), or NaN after a reset; 1 if the torque is
  // float32, otherwise 0.
  void Scene(std::span<double> scene) const {
    scene[0] = theta_;
    scene[1] = torque_;
    scene[2] = torque_is_float32_ ? 1.0 : 0.0;
  }

  void Save(StateWriter& state) const {
    state.Put(theta_);
    state.Put(theta_dot_);
    state.Put(torque_);
    state.Put(torque_is_float32_);
  }
  void Load(StateReader& state) {
    state.Get(theta_);
    state.Get(theta_dot_);
    state.Get(torque_);
    state.Get(torque_is_float32_);
  }

 private:
  // In the reference the torque has the dtype T of the action. The square of the torque and its
  // term of the acceleration are rounded to T before they are combined with a float64.
  template <std::floating_point T>
  StepResult Push(T action) {
    const T torque = std::clamp(action, static_cast<T>(-kMaxTorque), static_cast<T>(kMaxTorque));
    const double angle =
        FloorMod(theta_ + std::numbers::pi, 2.0 * std::numbers::pi) - std::numbers::pi;
    const double cost = PowSquare(angle) + 0.1 * PowSquare(theta_dot_) +
                        static_cast<double>(static_cast<T>(0.001) * PowSquare(torque));

    constexpr auto kTorqueTerm = static_cast<T>(3.0 / (kMass * (kLength * kLength)));
    const double acceleration =
        config_->gravity_term * NumpySin(theta_) + static_cast<double>(kTorqueTerm * torque);
    const double speed = theta_dot_ + acceleration * kTimeStep;
    theta_dot_ = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
    theta_ = theta_ + (config_->moves_first ? speed : theta_dot_) * kTimeStep;
    torque_ = torque;
    torque_is_float32_ = std::same_as<T, float>;
    return {.reward = -cost, .terminated = false};
  }

  static constexpr double kMaxSpeed = 8.0;   // rad/s
  static constexpr float kMaxTorque = 2.0f;  // N m
  static constexpr double kTimeStep = 0.05;  // s
  static constexpr double kMass = 1.0;       // kg
  static constexpr double kLength = 1.0;     // m
  static constexpr double kNoTorque = std::numeric_limits<double>::quiet_NaN();

  double theta_ = 0.0;      // rad, 0: upright; not wrapped
  double theta_dot_ = 0.0;  // rad/s
  const Config* config_;
  double torque_ = kNoTorque;  // N m; of the latest step
  bool torque_is_float32_ = true;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_PENDULUM_H_
