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
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/lanes/lanes.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

// Has Gymnasium's names. There, gravity is not an attribute.
struct AcrobotConstants {
  static constexpr double kGravity = 9.8;     // m/s^2
  static constexpr double kGoalHeight = 1.0;  // m above the pivot

  double dt = 0.2;             // s
  double link_length_1 = 1.0;  // m
  double link_length_2 = 1.0;  // only pictures depend on it
  double link_mass_1 = 1.0;    // kg
  double link_mass_2 = 1.0;
  double link_com_pos_1 = 0.5;  // m from the joint to the centre of mass
  double link_com_pos_2 = 0.5;
  double link_moi = 1.0;                    // kg m^2, of each link
  double max_vel_1 = 4 * std::numbers::pi;  // rad/s
  double max_vel_2 = 9 * std::numbers::pi;
  std::array<double, 3> torques = {-1.0, 0.0, 1.0};  // N m, by action
  double torque_noise_max = 0.0;                     // N m
  bool nips = false;

  // Parts of the equations of motion that follow from the attributes. m, l, c, J: mass, length,
  // centre of mass and moment of inertia.
  double m1_c1_c1 = 0.0;
  double l1_l1_c2_c2 = 0.0;  // l1^2 + c2^2
  double l1_c2 = 0.0;
  double two_l1_c2 = 0.0;
  double c2_c2 = 0.0;
  double m2_c2_g = 0.0;
  double m2_l1_c2 = 0.0;
  double minus_m2_l1_c2 = 0.0;
  double two_m2_l1_c2 = 0.0;
  double weight = 0.0;   // (m1 c1 + m2 l1) g
  double inertia = 0.0;  // m2 c2^2 + J
  void Update() {
    c2_c2 = PowSquare(link_com_pos_2);
    m1_c1_c1 = link_mass_1 * PowSquare(link_com_pos_1);
    l1_l1_c2_c2 = PowSquare(link_length_1) + c2_c2;
    l1_c2 = link_length_1 * link_com_pos_2;
    two_l1_c2 = 2.0 * link_length_1 * link_com_pos_2;
    m2_c2_g = link_mass_2 * link_com_pos_2 * kGravity;
    m2_l1_c2 = link_mass_2 * link_length_1 * link_com_pos_2;
    minus_m2_l1_c2 = -m2_l1_c2;
    two_m2_l1_c2 = 2.0 * link_mass_2 * link_length_1 * link_com_pos_2;
    weight = (link_mass_1 * link_com_pos_1 + link_mass_2 * link_length_1) * kGravity;
    inertia = link_mass_2 * c2_c2 + link_moi;
  }
};

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
    const Constants defaults;
    const auto speed1 = static_cast<float>(defaults.max_vel_1);
    const auto speed2 = static_cast<float>(defaults.max_vel_2);
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({6}, {-1.0f, -1.0f, -1.0f, -1.0f, -speed1, -speed2},
                                             {1.0f, 1.0f, 1.0f, 1.0f, speed1, speed2});
    spec.action = SpaceSpec::Discrete(3);  // torque -1, 0, 1 N m
    spec.scene_size = 5;
    return spec;
  }

  using Constants = AcrobotConstants;

  struct Config {
    explicit Config(const ParamValues& options) {
      constants.nips = options.Get<std::string>("book_or_nips") == "nips";
      constants.torque_noise_max = options.Get<double>("torque_noise_max");
      constants.dt = options.Get<double>("dt");
      constants.Update();
    }
    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }

  using Start = ResetBounds;

  explicit Acrobot(const Config& config) : constants_(config.constants) {}

  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start& start, Rng& rng) {
    for (double& value : variables_.state) {
      value = static_cast<double>(static_cast<float>(rng.Uniform(start.low(), start.high())));
    }
    FindSines();
    after_reset_ = true;
  }

  // Throws std::domain_error if an angle is outside [-kMaxAngle, kMaxAngle], which only extreme
  // reset bounds or an extreme dt can cause.
  StepResult Step(ActionView action, Rng& rng) {
    const Constants& c = *constants_;
    State next = Integrate(Torque(action, rng));
    next[0] = Wrap(next[0]);
    next[1] = Wrap(next[1]);
    next[2] = Bound(next[2], c.max_vel_1);
    next[3] = Bound(next[3], c.max_vel_2);
    variables_.state = next;
    FindSines();
    after_reset_ = false;
    const double height = -variables_.first.cos - NumpyCos(next[1] + next[0]);  // m
    const bool terminated = height > Constants::kGoalHeight;
    return {.reward = terminated ? 0.0 : -1.0, .terminated = terminated};
  }

  static std::uint32_t LeastTogether() { return LeastInLanes(LaneSines::kNumpy); }
  static void StepMany(StepRange<Acrobot> range) {
    LaneBatch<Constants> batch(range);
    std::array<Pcg64State, kMostTogether> before_noise;  // of environments with noise
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      Acrobot& env = range.env(k);
      const Constants& c = *env.constants_;
      if (c.torque_noise_max > 0.0) before_noise[k] = range.rng(k).State();
      batch.Add(env.variables_, c, env.Torque(range.action(k), range.rng(k)));
    }
    batch.FillLanes();
    Lanes().step_acrobot(batch);
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      Acrobot& env = range.env(k);
      if (range.ends()[k] != EndBits::kNotStepped) [[likely]] {
        env.after_reset_ = false;
      } else if (env.constants_->torque_noise_max > 0.0) {
        range.rng(k) = Rng(before_noise[k]);  // Step draws the noise again
      }
    }
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    const auto& [state, first, second] = variables_;
    if (after_reset_) [[unlikely]] {
      // In the reference the state after a reset, its sines and its cosines are float32.
      for (std::size_t joint = 0; joint < 2; ++joint) {
        const auto theta = static_cast<float>(state[joint]);
        obs[2 * joint] = NumpyCos(theta);
        obs[2 * joint + 1] = NumpySin(theta);
      }
    } else {
      obs[0] = static_cast<float>(first.cos);
      obs[1] = static_cast<float>(first.sin);
      obs[2] = static_cast<float>(second.cos);
      obs[3] = static_cast<float>(second.sin);
    }
    obs[4] = static_cast<float>(state[2]);
    obs[5] = static_cast<float>(state[3]);
  }

  // Both angles (rad); 1 if no step followed the reset (the reference's angles are then float32),
  // otherwise 0; LINK_LENGTH_1 and LINK_LENGTH_2 (m).
  void Scene(std::span<double> scene) const {
    scene[0] = variables_.state[0];
    scene[1] = variables_.state[1];
    scene[2] = after_reset_ ? 1.0 : 0.0;
    scene[3] = constants_->link_length_1;
    scene[4] = constants_->link_length_2;
  }

  void Save(StateWriter& state) const {
    state.Put(variables_.state);
    state.Put(after_reset_);
  }
  void Load(StateReader& state) {
    state.Get(variables_.state);
    FindSines();
    state.Get(after_reset_);
  }

 private:
  // theta1 (rad, 0: hanging down), theta2 (rad, relative to the first link) and
  // their derivatives (rad/s).
  using State = std::array<double, 4>;

  void FindSines() {
    variables_.first = NumpySinCos(variables_.state[0]);
    variables_.second = NumpySinCos(variables_.state[1]);
  }

  double Torque(ActionView action, Rng& rng) const {
    const Constants& c = *constants_;
    const double torque = c.torques[static_cast<std::size_t>(action.Index())];
    if (!(c.torque_noise_max > 0.0)) return torque;
    return torque + rng.Uniform(-c.torque_noise_max, c.torque_noise_max);
  }

  // The classic fourth-order Runge-Kutta step of length dt.
  State Integrate(double torque) const {
    const double dt = constants_->dt;
    const double half = dt / 2.0;
    const double sixth = dt / 6.0;
    const State& state = variables_.state;
    const State k1 = Derivative(state, variables_.second, torque);
    const State k2 = Derivative(Along(half, k1), torque);
    const State k3 = Derivative(Along(half, k2), torque);
    const State k4 = Derivative(Along(dt, k3), torque);
    State next;
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] = state[i] + sixth * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    return next;
  }

  State Along(double time, const State& slope) const {
    State moved;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = variables_.state[i] + time * slope[i];
    return moved;
  }

  State Derivative(const State& s, double torque) const {
    return Derivative(s, NumpySinCos(s[1]), torque);
  }
  // `second`: the sine and cosine of the second angle.
  State Derivative(const State& s, const SinCos& second, double torque) const {
    constexpr double kHalfPi = std::numbers::pi / 2.0;
    const auto [theta1, theta2, dtheta1, dtheta2] = s;
    const auto [sin2, cos2] = second;

    const Constants& c = *constants_;
    const double d1 =
        c.m1_c1_c1 + c.link_mass_2 * (c.l1_l1_c2_c2 + c.two_l1_c2 * cos2) + c.link_moi + c.link_moi;
    const double d2 = c.link_mass_2 * (c.c2_c2 + c.l1_c2 * cos2) + c.link_moi;
    const double phi2 = c.m2_c2_g * NumpyCos(theta1 + theta2 - kHalfPi);
    const double phi1 = c.minus_m2_l1_c2 * PowSquare(dtheta2) * sin2 -
                        c.two_m2_l1_c2 * dtheta2 * dtheta1 * sin2 +
                        c.weight * NumpyCos(theta1 - kHalfPi) + phi2;

    double moment = torque + d2 / d1 * phi1;
    // The equations of the 1996 paper omit this term.
    if (!c.nips) moment -= c.m2_l1_c2 * PowSquare(dtheta1) * sin2;
    const double ddtheta2 = (moment - phi2) / (c.inertia - PowSquare(d2) / d1);
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

  static constexpr double kMaxAngle = 1e7;  // rad; wrapping a larger angle would take too long

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kMost = 1e100;  // the reference cannot square a larger float
  static constexpr const char* kEquations[] = {"book", "nips"};
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::dt>("dt", 0.0, std::numeric_limits<double>::max()),
      AttributeOf<&Constants::link_length_1>("LINK_LENGTH_1", -kMost, kMost),
      AttributeOf<&Constants::link_length_2>("LINK_LENGTH_2", -kMost, kMost),
      AttributeOf<&Constants::link_mass_1>("LINK_MASS_1"),
      AttributeOf<&Constants::link_mass_2>("LINK_MASS_2"),
      AttributeOf<&Constants::link_com_pos_1>("LINK_COM_POS_1", -kMost, kMost),
      AttributeOf<&Constants::link_com_pos_2>("LINK_COM_POS_2", -kMost, kMost),
      AttributeOf<&Constants::link_moi>("LINK_MOI"),
      AttributeOf<&Constants::max_vel_1>("MAX_VEL_1", 0.0, kInfinity),
      AttributeOf<&Constants::max_vel_2>("MAX_VEL_2", 0.0, kInfinity),
      AttributeOf<&Constants::torques>("AVAIL_TORQUE"),
      // The width of the interval of the noise is finite.
      AttributeOf<&Constants::torque_noise_max>("torque_noise_max", -kInfinity,
                                                std::numeric_limits<double>::max() / 2.0),
      ChoiceOf<&Constants::nips>("book_or_nips", kEquations)};

  // With the sines and cosines of both angles.
  struct Variables {
    State state{};
    SinCos first{.sin = 0.0, .cos = 1.0};
    SinCos second{.sin = 0.0, .cos = 1.0};
  };
  Variables variables_;
  SharedAttributes<Constants> constants_;
  bool after_reset_ = true;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_ACROBOT_H_
