// Pendulum: swing up and hold a rigid pendulum with a limited torque at its pivot. The dynamics,
// the cost and the arithmetic are those of Gymnasium 1.4.0's PendulumEnv under NumPy 2, and
// trajectories are bit-equal to Gymnasium's. Version 0 is Gym's Pendulum-v0, which moves the angle
// before it limits the speed. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_PENDULUM_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_PENDULUM_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/lanes/lanes.h"

namespace engine::classic_control {

// Has Gymnasium's names.
struct PendulumConstants {
  double max_speed = 8.0;    // rad/s
  double max_torque = 2.0;   // N m
  double dt = 0.05;          // s
  double g = 10.0;           // m/s^2
  double m = 1.0;            // kg
  double l = 1.0;            // m
  bool moves_first = false;  // whether the angle moves by the speed before its limit

  // Follow from the attributes.
  double gravity_term = 0.0;  // angular acceleration of a horizontal pendulum, rad/s^2
  double torque_term = 0.0;   // angular acceleration by a torque of 1 N m, rad/s^2
  void Update() {
    gravity_term = 3.0 * g / (2.0 * l);
    torque_term = 3.0 / (m * PowSquare(l));
  }
};

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
    const Constants defaults;
    const auto speed = static_cast<float>(defaults.max_speed);
    const auto torque = static_cast<float>(defaults.max_torque);
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({3}, {-1.0f, -1.0f, -speed}, {1.0f, 1.0f, speed});
    spec.action = SpaceSpec::Box<float>({1}, -torque, torque);
    spec.action_out_of_bounds = OutOfBounds::kEnvClips;
    spec.scene_size = 3;
    return spec;
  }

  using Constants = PendulumConstants;

  struct Config {
    explicit Config(const ParamValues& options) {
      constants.g = options.Get<double>("g");
      constants.moves_first = options.Get<std::int64_t>("version") == 0;
      constants.Update();
    }
    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }

  struct Start {
    explicit Start(const ParamValues& options)
        // + 0.0 turns -0.0 into 0.0, because the width of the interval must not be -0.0.
        : max_theta(options.Get<double>("x_init") + 0.0),
          max_theta_dot(options.Get<double>("y_init") + 0.0) {}
    double max_theta;      // rad
    double max_theta_dot;  // rad/s
  };

  explicit Pendulum(const Config& config) : constants_(config.constants) {}

  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start& start, Rng& rng) {
    state_.theta = rng.Uniform(-start.max_theta, start.max_theta);
    state_.of_theta = NumpySinCos(state_.theta);
    state_.theta_dot = rng.Uniform(-start.max_theta_dot, start.max_theta_dot);
    state_.torque = kNoTorque;
  }

  StepResult Step(ActionView action, Rng&) { return Push(Limit(*action.Data<float>())); }
  StepResult StepFloat64(ActionView action, Rng&) { return Push(Limit(*action.Data<double>())); }

  static std::uint32_t LeastTogether() { return LeastInLanes(LaneSines::kNumpy); }
  static void StepMany(StepRange<Pendulum> range) {
    LaneBatch<Constants> batch(range);
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      Pendulum& env = range.env(k);
      const bool is_float32 = !range.is_float64(k);
      const double action = is_float32 ? static_cast<double>(*range.action(k).Data<float>())
                                       : *range.float64_action(k).Data<double>();
      env.torque_is_float32_ = is_float32;
      batch.float32_inputs += is_float32 ? 1U : 0U;
      batch.Add(env.state_, *env.constants_, action);
    }
    batch.FillLanes();
    Lanes().step_pendulum(batch);
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    obs[0] = static_cast<float>(state_.of_theta.cos);
    obs[1] = static_cast<float>(state_.of_theta.sin);
    obs[2] = static_cast<float>(state_.theta_dot);
  }

  // The angle (rad); the torque of the latest step (N m), or NaN after a reset; 1 if the torque is
  // float32, otherwise 0.
  void Scene(std::span<double> scene) const {
    scene[0] = state_.theta;
    scene[1] = state_.torque;
    scene[2] = torque_is_float32_ ? 1.0 : 0.0;
  }

  void Save(StateWriter& state) const {
    state.Put(state_.theta);
    state.Put(state_.theta_dot);
    state.Put(state_.torque);
    state.Put(torque_is_float32_);
  }
  void Load(StateReader& state) {
    state.Get(state_.theta);
    state_.of_theta = NumpySinCos(state_.theta);
    state.Get(state_.theta_dot);
    state.Get(state_.torque);
    state.Get(torque_is_float32_);
  }

 private:
  // What the torque adds to the cost and to the angular acceleration (rad/s^2).
  struct Effect {
    double cost;
    double acceleration;
  };

  // Limits the torque and keeps it for pictures. In the reference the torque has the dtype T of the
  // action. The square of the torque and its term of the acceleration are rounded to T before they
  // are combined with a float64.
  template <std::floating_point T>
  Effect Limit(T action) {
    const Constants& c = *constants_;
    const auto max_torque = static_cast<T>(c.max_torque);
    const T torque = NumpyClip(action, -max_torque, max_torque);
    state_.torque = torque;
    torque_is_float32_ = std::same_as<T, float>;
    return {.cost = static_cast<double>(static_cast<T>(0.001) * PowSquare(torque)),
            .acceleration = static_cast<double>(static_cast<T>(c.torque_term) * torque)};
  }

  StepResult Push(const Effect& torque) {
    const Constants& c = *constants_;
    double& theta = state_.theta;
    double& theta_dot = state_.theta_dot;
    const double angle =
        FloorMod(theta + std::numbers::pi, 2.0 * std::numbers::pi) - std::numbers::pi;
    const double cost = PowSquare(angle) + 0.1 * PowSquare(theta_dot) + torque.cost;

    const double acceleration = c.gravity_term * state_.of_theta.sin + torque.acceleration;
    const double speed = theta_dot + acceleration * c.dt;
    theta_dot = NumpyClip(speed, -c.max_speed, c.max_speed);
    theta = theta + (c.moves_first ? speed : theta_dot) * c.dt;
    state_.of_theta = NumpySinCos(theta);
    return {.reward = -cost, .terminated = false};
  }

  // Masses and lengths whose products are neither 0 nor infinite, because the reference divides by
  // them.
  static constexpr double kLeast = 1e-100;
  static constexpr double kMost = 1e100;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::max_speed>("max_speed", 0.0, kInfinity),
      AttributeOf<&Constants::max_torque>("max_torque", 0.0, kInfinity),
      AttributeOf<&Constants::dt>("dt"),
      AttributeOf<&Constants::g>("g"),
      AttributeOf<&Constants::m>("m", kLeast, kMost),
      AttributeOf<&Constants::l>("l", kLeast, kMost)};
  static constexpr double kNoTorque = std::numeric_limits<double>::quiet_NaN();

  struct State {
    double theta = 0.0;      // rad, 0: upright; not wrapped
    double theta_dot = 0.0;  // rad/s
    SinCos of_theta{.sin = 0.0, .cos = 1.0};
    double torque = kNoTorque;  // N m; of the latest step
  };
  State state_;
  SharedAttributes<Constants> constants_;
  bool torque_is_float32_ = true;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_PENDULUM_H_
