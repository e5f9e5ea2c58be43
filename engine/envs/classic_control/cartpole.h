// CartPole: keep a pole upright on a cart that is pushed left or right. The dynamics are those of
// Barto, Sutton and Anderson (1983), with the equations of motion of Florian (2007). The arithmetic
// follows the order of Gymnasium 1.4.0's CartPoleEnv, and trajectories are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_CARTPOLE_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_CARTPOLE_H_

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/lanes/lanes.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

// Has Gymnasium's names. As there, a change of a mass or of the length does not change the total
// mass and the product of mass and length, and masscart has no effect.
struct CartPoleConstants {
  double gravity = 9.8;                        // m/s^2
  double masscart = 1.0;                       // kg
  double masspole = 0.1;                       // kg
  double total_mass = masspole + masscart;     // kg
  double length = 0.5;                         // m, half of the pole's length
  double polemass_length = masspole * length;  // kg m
  double force_mag = 10.0;                     // N
  double tau = 0.02;                           // s, time of a step
  double theta_threshold_radians = 12 * 2 * std::numbers::pi / 360;
  double x_threshold = 2.4;  // m
  bool sutton_barto_reward = false;
  bool is_semi_implicit = false;  // whether positions change by the new speeds

  // Follow from the attributes. Tables, because a branch would be mispredicted every other step.
  double force[2] = {-force_mag, force_mag};  // N, by action
  double reward[2] = {1.0, 1.0};              // by `terminated`
  void Update() {
    force[0] = -force_mag;
    force[1] = force_mag;
    reward[false] = sutton_barto_reward ? 0.0 : 1.0;
    reward[true] = sutton_barto_reward ? -1.0 : 1.0;
  }
};

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
    const Constants defaults;
    const auto position = static_cast<float>(2.0 * defaults.x_threshold);
    const auto angle = static_cast<float>(2.0 * defaults.theta_threshold_radians);
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({4}, {-position, -kInfinity, -angle, -kInfinity},
                                             {position, kInfinity, angle, kInfinity});
    spec.action = SpaceSpec::Discrete(2);  // 0: push left, 1: push right
    spec.scene_size = 4;
    return spec;
  }

  using Constants = CartPoleConstants;
  struct Config {
    explicit Config(const ParamValues& options) {
      constants.sutton_barto_reward = options.Get<bool>("sutton_barto_reward");
      constants.Update();
    }
    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }

  using Start = ResetBounds;

  explicit CartPole(const Config& config) : constants_(config.constants) {}

  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start& start, Rng& rng) {
    state_.position[kCart] = rng.Uniform(start.low(), start.high());
    state_.speed[kCart] = rng.Uniform(start.low(), start.high());
    state_.position[kPole] = rng.Uniform(start.low(), start.high());
    state_.speed[kPole] = rng.Uniform(start.low(), start.high());
  }

  StepResult Step(ActionView action, Rng&) {
    const Constants& c = *constants_;
    const auto [sin_theta, cos_theta] = NumpySinCos(state_.position[kPole]);

    const double temp =
        (c.force[action.Index()] +
         c.polemass_length * (state_.speed[kPole] * state_.speed[kPole]) * sin_theta) /
        c.total_mass;
    const double theta_acc =
        (c.gravity * sin_theta - cos_theta * temp) /
        (c.length * (4.0 / 3.0 - c.masspole * (cos_theta * cos_theta) / c.total_mass));
    const double x_acc = temp - c.polemass_length * theta_acc * cos_theta / c.total_mass;

    const Pair acceleration = {x_acc, theta_acc};
    if (c.is_semi_implicit) [[unlikely]] {
      state_.speed = state_.speed + c.tau * acceleration;
      state_.position = state_.position + c.tau * state_.speed;
    } else {
      state_.position = state_.position + c.tau * state_.speed;
      state_.speed = state_.speed + c.tau * acceleration;
    }

    // Bitwise |, not ||: both comparisons are cheap and their results are hard to predict.
    const bool terminated = static_cast<bool>(
        static_cast<int>(std::abs(state_.position[kCart]) > c.x_threshold) |
        static_cast<int>(std::abs(state_.position[kPole]) > c.theta_threshold_radians));
    return {.reward = c.reward[terminated], .terminated = terminated};
  }

  static std::uint32_t LeastTogether() { return LeastInLanes(LaneSines::kNumpy); }
  static void StepMany(StepRange<CartPole> range) {
    LaneBatch<Constants> batch(range);
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      CartPole& env = range.env(k);
      const Constants& c = *env.constants_;
      batch.Add(env.state_, c, c.force[range.action(k).Index()]);
    }
    batch.FillLanes();
    Lanes().step_cartpole(batch);
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    for (std::size_t i = 0; i < 2; ++i) {
      obs[2 * i] = static_cast<float>(state_.position[i]);
      obs[2 * i + 1] = static_cast<float>(state_.speed[i]);
    }
  }

  // The cart's position (m), the pole's angle (rad), length and x_threshold (m).
  void Scene(std::span<double> scene) const {
    scene[0] = state_.position[kCart];
    scene[1] = state_.position[kPole];
    scene[2] = constants_->length;
    scene[3] = constants_->x_threshold;
  }

  void Save(StateWriter& state) const {
    state.Put(state_.position);
    state.Put(state_.speed);
  }
  void Load(StateReader& state) {
    state.Get(state_.position);
    state.Get(state_.speed);
  }

 private:
  static constexpr const char* kIntegrators[] = {"euler", "semi-implicit euler"};
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::gravity>("gravity"),
      AttributeOf<&Constants::masscart>("masscart"),
      AttributeOf<&Constants::masspole>("masspole"),
      AttributeOf<&Constants::total_mass>("total_mass"),
      AttributeOf<&Constants::length>("length"),
      AttributeOf<&Constants::polemass_length>("polemass_length"),
      AttributeOf<&Constants::force_mag>("force_mag"),
      AttributeOf<&Constants::tau>("tau"),
      AttributeOf<&Constants::theta_threshold_radians>("theta_threshold_radians"),
      AttributeOf<&Constants::x_threshold>("x_threshold"),
      AttributeOf<&Constants::sutton_barto_reward>("_sutton_barto_reward"),
      ChoiceOf<&Constants::is_semi_implicit>("kinematics_integrator", kIntegrators)};

  enum : std::size_t { kCart, kPole };

  // The pair is a vector type so that a step stores both numbers with one instruction, which the
  // observation then reads with one load. If GCC stores the two numbers separately, as it did with
  // arrays, the load must wait until both stores have left the store buffer (4,096 environments:
  // 5 % slower).
  using Pair [[gnu::vector_size(16)]] = double;
  struct State {
    Pair position = {};  // cart (m), pole (rad, 0: upright)
    Pair speed = {};     // cart (m/s), pole (rad/s)
  };
  State state_;
  SharedAttributes<Constants> constants_;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_CARTPOLE_H_
