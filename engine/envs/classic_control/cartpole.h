// CartPole: keep a pole upright on a cart that is pushed left or right. The dynamics are those of
// Barto, Sutton and Anderson (1983), with the equations of motion of Florian (2007). The arithmetic
// follows the order of Gymnasium 1.4.0's CartPoleEnv, and trajectories are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_CARTPOLE_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_CARTPOLE_H_

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "engine/base/numpy_kernels.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

class CartPole {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "sutton_barto_reward",
             .default_value = false,
             .doc = "Whether the reward is 0 while the pole stands and -1 when it falls, instead "
                    "of 1 per step.",
             .low = {},
             .high = {}}};
  }

  static ParamSchema ResetOptions() {
    return ResetBounds::Options(-0.05, 0.05, std::numeric_limits<double>::max(),
                                "each of the four state variables (m, m/s, rad, rad/s)");
  }

  static EnvSpec Spec(const ParamValues&) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr auto kPosition = static_cast<float>(2.0 * kPositionLimit);
    constexpr auto kAngle = static_cast<float>(2.0 * kAngleLimit);
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({4}, {-kPosition, -kInfinity, -kAngle, -kInfinity},
                                             {kPosition, kInfinity, kAngle, kInfinity});
    spec.action = SpaceSpec::Discrete(2);  // 0: push left, 1: push right
    spec.scene_size = 2;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options) {
      const bool sutton_barto = options.Get<bool>("sutton_barto_reward");
      reward[false] = sutton_barto ? 0.0 : 1.0;
      reward[true] = sutton_barto ? -1.0 : 1.0;
    }
    double reward[2];  // indexed by `terminated`
  };

  using Start = ResetBounds;

  explicit CartPole(const Config& config) : config_(&config) {}

  void Reset(const Start& start, Rng& rng) {
    position_[kCart] = rng.Uniform(start.low(), start.high());
    speed_[kCart] = rng.Uniform(start.low(), start.high());
    position_[kPole] = rng.Uniform(start.low(), start.high());
    speed_[kPole] = rng.Uniform(start.low(), start.high());
  }

  StepResult Step(ActionView action, Rng&) {
    // A table lookup, because a branch would be mispredicted every other step.
    static constexpr double kForce[] = {-kForceMagnitude, kForceMagnitude};
    const double force = kForce[action.Index()];
    const auto [sin_theta, cos_theta] = NumpySinCos(position_[kPole]);

    const double temp =
        (force + kPoleMassLength * (speed_[kPole] * speed_[kPole]) * sin_theta) / kTotalMass;
    const double theta_acc =
        (kGravity * sin_theta - cos_theta * temp) /
        (kHalfPoleLength * (4.0 / 3.0 - kPoleMass * (cos_theta * cos_theta) / kTotalMass));
    const double x_acc = temp - kPoleMassLength * theta_acc * cos_theta / kTotalMass;

    const Pair acceleration = {x_acc, theta_acc};
    position_ = position_ + kTimeStep * speed_;
    speed_ = speed_ + kTimeStep * acceleration;

    // Bitwise |, not ||: both comparisons are cheap and their results are hard to predict.
    const bool terminated =
        static_cast<bool>(static_cast<int>(std::abs(position_[kCart]) > kPositionLimit) |
                          static_cast<int>(std::abs(position_[kPole]) > kAngleLimit));
    return {.reward = config_->reward[terminated], .terminated = terminated};
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    for (std::size_t i = 0; i < 2; ++i) {
      obs[2 * i] = static_cast<float>(position_[i]);
      obs[2 * i + 1] = static_cast<float>(speed_[i]);
    }
  }

  // The cart's position (m) and the pole's angle (rad).
  void Scene(std::span<double> scene) const {
    scene[0] = position_[kCart];
    scene[1] = position_[kPole];
  }

  void Save(StateWriter& state) const {
    state.Put(position_);
    state.Put(speed_);
  }
  void Load(StateReader& state) {
    state.Get(position_);
    state.Get(speed_);
  }

 private:
  static constexpr double kGravity = 9.8;                                 // m/s^2
  static constexpr double kCartMass = 1.0;                                // kg
  static constexpr double kPoleMass = 0.1;                                // kg
  static constexpr double kTotalMass = kPoleMass + kCartMass;             // kg
  static constexpr double kHalfPoleLength = 0.5;                          // m
  static constexpr double kPoleMassLength = kPoleMass * kHalfPoleLength;  // kg m
  static constexpr double kForceMagnitude = 10.0;                         // N
  static constexpr double kTimeStep = 0.02;                               // s
  static constexpr double kPositionLimit = 2.4;                           // m
  static constexpr double kAngleLimit = 12 * 2 * std::numbers::pi / 360;  // rad

  enum : std::size_t { kCart, kPole };

  // The pair is a vector type so that a step stores both numbers with one instruction, which the
  // observation then reads with one load. If GCC stores the two numbers separately, as it did with
  // arrays, the load must wait until both stores have left the store buffer (4,096 environments:
  // 5 % slower).
  using Pair [[gnu::vector_size(16)]] = double;
  Pair position_ = {};  // cart (m), pole (rad, 0: upright)
  Pair speed_ = {};     // cart (m/s), pole (rad/s)
  const Config* config_;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_CARTPOLE_H_
