// Acrobot: swing up two links with a motor at the joint between them, until the free end is one
// link's length above the pivot. The dynamics are those of Sutton (1996) or of Sutton and Barto's
// book, integrated by one Runge-Kutta step. The arithmetic is that of Gymnasium 1.4.0's AcrobotEnv
// under NumPy 2, and trajectories are bit-equal to Gymnasium's. Each instance runs on one thread at
// a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_ACROBOT_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_ACROBOT_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>

#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

class Acrobot {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    constexpr double kMax = std::numeric_limits<double>::max();
    return {{.name = "book_or_nips",
             .default_value = std::string("book"),
             .doc = "Equations of motion: those of Sutton and Barto's book, or of the 1996 paper.",
             .low = {},
             .high = {},
             .choices = {"book", "nips"}},
            {.name = "torque_noise_max",
             .default_value = 0.0,
             .doc = "Torque noise is uniform in [-max, max] (N m).",
             .low = 0.0,
             .high = kMax / 2.0},
            {.name = "dt",
             .default_value = 0.2,
             .doc = "Time step of the integration (s).",
             .low = 0.0,
             .high = kMax}};
  }

  static ParamSchema ResetOptions() {
    return ResetBounds::Options(-0.1, 0.1, double{std::numeric_limits<float>::max()},
                                "each of the four state variables (rad, rad, rad/s, rad/s)");
  }

  static EnvSpec Spec(const ParamValues&) {
    constexpr auto kSpeed1 = static_cast<float>(kMaxSpeed1);
    constexpr auto kSpeed2 = static_cast<float>(kMaxSpeed2);
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({6}, {-1.0f, -1.0f, -1.0f, -1.0f, -kSpeed1, -kSpeed2},
                                             {1.0f, 1.0f, 1.0f, 1.0f, kSpeed1, kSpeed2});
    spec.action = SpaceSpec::Discrete(3);  // torque -1, 0, 1 N m
    spec.scene_size = 3;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : nips(options.Get<std::string>("book_or_nips") == "nips"),
          torque_noise_max(options.Get<double>("torque_noise_max")),
          dt(options.Get<double>("dt")) {}
    bool nips;
    double torque_noise_max;  // N m
    double dt;                // s
  };

  using Start = ResetBounds;

  explicit Acrobot(const Config& config) : config_(&config) {}

  void Reset(const Start& start, Rng& rng) {
    for (double& value : state_) {
      value = static_cast<double>(static_cast<float>(rng.Uniform(start.low(), start.high())));
    }
    after_reset_ = true;
  }

  // Throws std::domain_error if an angle is outside [-kMaxAngle, kMaxAngle], which only extreme
  // reset bounds or an extreme dt can cause.
  StepResult Step(ActionView action, Rng& rng) {
    double torque = static_cast<double>(action.Index() - 1);
    if (config_->torque_noise_max > 0.0) {
      torque += rng.Uniform(-config_->torque_noise_max, config_->torque_noise_max);
    }
    State next = Integrate(torque);
    next[0] = Wrap(next[0]);
    next[1] = Wrap(next[1]);
    next[2] = Bound(next[2], kMaxSpeed1);
    next[3] = Bound(next[3], kMaxSpeed2);
    state_ = next;
    after_reset_ = false;
    const bool terminated = -NumpyCos(state_[0]) - NumpyCos(state_[1] + state_[0]) > kGoalHeight;
    return {.reward = terminated ? 0.0 : -1.0, .terminated = terminated};
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    for (std::size_t joint = 0; joint < 2; ++joint) {
      const double theta = state_[joint];
      if (after_reset_) [[unlikely]] {
        // In the reference the state after a reset, its sines and its cosines are float32.
        obs[2 * joint] = NumpyCos(static_cast<float>(theta));
        obs[2 * joint + 1] = NumpySin(static_cast<float>(theta));
      } else {
        const auto [sine, cosine] = NumpySinCos(theta);
        obs[2 * joint] = static_cast<float>(cosine);
        obs[2 * joint + 1] = static_cast<float>(sine);
      }
    }
    obs[4] = static_cast<float>(state_[2]);
    obs[5] = static_cast<float>(state_[3]);
  }

  // Both angles (rad); 1 if no step followed the reset (the reference's angles are then float32),
  // otherwise 0.
  void Scene(std::span<double> scene) const {
    scene[0] = state_[0];
    scene[1] = state_[1];
    scene[2] = after_reset_ ? 1.0 : 0.0;
  }

  void Save(StateWriter& state) const {
    state.Put(state_);
    state.Put(after_reset_);
  }
  void Load(StateReader& state) {
    state.Get(state_);
    state.Get(after_reset_);
  }

 private:
  // theta1 (rad, 0: hanging down), theta2 (rad, relative to the first link) and
  // their derivatives (rad/s).
  using State = std::array<double, 4>;

  // The classic fourth-order Runge-Kutta step of length dt.
  State Integrate(double torque) const {
    const double dt = config_->dt;
    const double half = dt / 2.0;
    const double sixth = dt / 6.0;
    const State k1 = Derivative(state_, torque);
    const State k2 = Derivative(Along(half, k1), torque);
    const State k3 = Derivative(Along(half, k2), torque);
    const State k4 = Derivative(Along(dt, k3), torque);
    State next;
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = state_[i] + sixth * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    return next;
  }

  State Along(double time, const State& slope) const {
    State moved;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = state_[i] + time * slope[i];
    return moved;
  }

  State Derivative(const State& s, double torque) const {
    constexpr double kHalfPi = std::numbers::pi / 2.0;
    const auto [theta1, theta2, dtheta1, dtheta2] = s;
    const auto [sin2, cos2] = NumpySinCos(theta2);

    const double d1 = kMass * (kCom * kCom) +
                      kMass * (kLength * kLength + kCom * kCom + 2.0 * kLength * kCom * cos2) +
                      kInertia + kInertia;
    const double d2 = kMass * (kCom * kCom + kLength * kCom * cos2) + kInertia;
    const double phi2 = kMass * kCom * kGravity * NumpyCos(theta1 + theta2 - kHalfPi);
    const double phi1 = -kMass * kLength * kCom * PowSquare(dtheta2) * sin2 -
                        2.0 * kMass * kLength * kCom * dtheta2 * dtheta1 * sin2 +
                        (kMass * kCom + kMass * kLength) * kGravity * NumpyCos(theta1 - kHalfPi) +
                        phi2;

    double moment = torque + d2 / d1 * phi1;
    // The equations of the 1996 paper omit this term.
    if (!config_->nips) moment -= kMass * kLength * kCom * PowSquare(dtheta1) * sin2;
    const double ddtheta2 =
        (moment - phi2) / (kMass * (kCom * kCom) + kInertia - PowSquare(d2) / d1);
    const double ddtheta1 = -(d2 * ddtheta2 + phi1) / d1;
    return {dtheta1, dtheta2, ddtheta1, ddtheta2};
  }

  // Wraps `angle` into [-pi, pi] by adding or subtracting one turn at a time, as the reference
  // does. Each subtraction rounds, so a single remainder would give a different result.
  static double Wrap(double angle) {
    constexpr double kTurn = std::numbers::pi + std::numbers::pi;
    if (std::abs(angle) > kMaxAngle) [[unlikely]] {
      throw std::domain_error("Acrobot: an angle of " + std::to_string(angle) +
                              " rad is too large to be wrapped into [-pi, pi]; the reset bounds or "
                              "dt are out of any useful range");
    }
    while (angle > std::numbers::pi) angle -= kTurn;
    while (angle < -std::numbers::pi) angle += kTurn;
    return angle;
  }

  // Returns NaN for NaN, as the reference does.
  static double Bound(double value, double limit) {
    if (value < -limit) return -limit;
    if (value > limit) return limit;
    return value;
  }

  static constexpr double kGravity = 9.8;  // m/s^2
  // The two links are equal.
  static constexpr double kLength = 1.0;   // m
  static constexpr double kMass = 1.0;     // kg
  static constexpr double kCom = 0.5;      // m from the joint to the centre of mass
  static constexpr double kInertia = 1.0;  // kg m^2
  static constexpr double kMaxSpeed1 = 4 * std::numbers::pi;  // rad/s
  static constexpr double kMaxSpeed2 = 9 * std::numbers::pi;  // rad/s
  static constexpr double kGoalHeight = 1.0;                  // m above the pivot
  static constexpr double kMaxAngle = 1e7;  // rad; wrapping a larger angle would take too long

  State state_{};
  const Config* config_;
  bool after_reset_ = true;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_ACROBOT_H_
