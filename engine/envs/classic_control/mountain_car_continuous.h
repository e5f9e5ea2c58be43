// MountainCarContinuous: drive an underpowered car out of a valley with a continuous force. The
// dynamics are those of Moore (1990) in Sigaud's continuous variant. The arithmetic is that of
// Gymnasium 1.4.0's Continuous_MountainCarEnv under NumPy 2, and trajectories are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_CONTINUOUS_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_CONTINUOUS_H_

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

class MountainCarContinuous {
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
    const Constants defaults;
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>(
        {2}, {static_cast<float>(defaults.min_position), static_cast<float>(-defaults.max_speed)},
        {static_cast<float>(defaults.max_position), static_cast<float>(defaults.max_speed)});
    spec.action = SpaceSpec::Box<float>({1}, static_cast<float>(defaults.min_action),
                                        static_cast<float>(defaults.max_action));
    spec.action_out_of_bounds = OutOfBounds::kEnvClips;
    spec.scene_size = 5;
    return spec;
  }

  // Lengths are in the unit of the model, and times are in steps.
  template <std::floating_point T>
  struct Limits {
    T min_action;  // of the force
    T max_action;
    T min_position;
    T max_position;
    T max_speed;
    T goal_position;
    T goal_velocity;
    T power;  // change of velocity per step at force 1
  };

  // Has Gymnasium's names.
  struct Constants : Limits<double> {
    Constants()
        : Limits<double>{.min_action = -1.0,
                         .max_action = 1.0,
                         .min_position = -1.2,
                         .max_position = 0.6,
                         .max_speed = 0.07,
                         .goal_position = 0.45,
                         .goal_velocity = 0.0,
                         .power = 0.0015} {
      Update();
    }

    Limits<float> rounded;
    void Update() {
      const auto round = [](double value) { return static_cast<float>(value); };
      rounded = {.min_action = round(min_action),
                 .max_action = round(max_action),
                 .min_position = round(min_position),
                 .max_position = round(max_position),
                 .max_speed = round(max_speed),
                 .goal_position = round(goal_position),
                 .goal_velocity = round(goal_velocity),
                 .power = round(power)};
    }

    template <std::floating_point T>
    const Limits<T>& In() const {
      if constexpr (std::same_as<T, float>) {
        return rounded;
      } else {
        return *this;
      }
    }
  };

  struct Config {
    explicit Config(const ParamValues& options) {
      constants.goal_velocity = options.Get<double>("goal_velocity");
      constants.Update();
    }
    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }

  using Start = ResetBounds;

  explicit MountainCarContinuous(const Config& config) : constants_(config.constants) {}

  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start& start, Rng& rng) {
    position_ = rng.Uniform(start.low(), start.high());
    velocity_ = 0.0;
    after_reset_ = true;
  }

  StepResult Step(ActionView action, Rng&) {
    const float raw = *action.Data<float>();
    // The square of a float32 is exact in float64, whether it is computed by pow or by this
    // product.
    return Push(raw, static_cast<double>(raw) * static_cast<double>(raw));
  }
  StepResult StepFloat64(ActionView action, Rng&) {
    const double raw = *action.Data<double>();
    return Push(raw, PowSquare(raw));
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    obs[0] = static_cast<float>(position_);
    obs[1] = static_cast<float>(velocity_);
  }

  // The car's position; min_position, max_position and goal_position; 1 if no step followed the
  // reset (the reference's state is then float64), otherwise 0.
  void Scene(std::span<double> scene) const {
    scene[0] = position_;
    scene[1] = constants_->min_position;
    scene[2] = constants_->max_position;
    scene[3] = constants_->goal_position;
    scene[4] = after_reset_ ? 1.0 : 0.0;
  }

  void Save(StateWriter& state) const {
    state.Put(position_);
    state.Put(velocity_);
    state.Put(after_reset_);
  }
  void Load(StateReader& state) {
    state.Get(position_);
    state.Get(velocity_);
    state.Get(after_reset_);
  }

 private:
  // The reference computes the cost from the requested force, not from the clipped one.
  template <std::floating_point A>
  StepResult Push(A raw, double squared) {
    const bool terminated = after_reset_ ? Advance<double>(raw) : Advance<float>(raw);
    after_reset_ = false;
    return {.reward = (terminated ? kGoalReward : 0.0) - squared * kForcePrice,
            .terminated = terminated};
  }

  // One step with a state of type T and a force of type A. Returns whether the car reached the
  // goal. In the reference the state is float64 after a reset, and float32 after the first step. A
  // Python float combined with a NumPy scalar takes the type of the scalar, so every constant is
  // cast to T.
  template <std::floating_point T, std::floating_point A>
  bool Advance(A raw) {
    const Constants& c = *constants_;
    const T position = static_cast<T>(position_);
    const T velocity = static_cast<T>(velocity_);
    const double pull = kGravity * std::cos(static_cast<double>(T{3} * position));
    // In the reference a clipped force is a Python float, so the change is computed in float64 and
    // rounded once.
    if (raw < c.In<A>().min_action) {
      const double force = std::min(c.min_action, c.max_action);
      return Move<T>(position, velocity + static_cast<T>(force * c.power - pull));
    }
    if (raw > c.In<A>().max_action) {
      return Move<T>(position, velocity + static_cast<T>(c.max_action * c.power - pull));
    }
    // In the reference a force within bounds is a NumPy scalar of the action's type.
    using V = decltype(T{} * A{});
    const A change = raw * c.In<A>().power - static_cast<A>(pull);
    return Move<T>(position, static_cast<V>(velocity) + static_cast<V>(change));
  }

  // The position has type T, and the velocity has type V. In the reference a limited velocity is a
  // Python float, so the new position keeps type T. Otherwise the new position has type V.
  template <std::floating_point T, std::floating_point V>
  bool Move(T position, V velocity) {
    const Constants& c = *constants_;
    const bool limited = velocity > c.In<V>().max_speed || velocity < -c.In<V>().max_speed;
    if (!limited) return Arrive<V>(static_cast<V>(position) + velocity, velocity, velocity);
    const double limit = velocity > V{0} ? c.max_speed : -c.max_speed;
    return Arrive<T>(position + static_cast<T>(limit), static_cast<T>(limit), limit);
  }

  // `compared` is the velocity in the type of the goal test: float64 if the velocity was limited.
  template <std::floating_point T, std::floating_point C>
  bool Arrive(T position, T velocity, C compared) {
    const Constants& c = *constants_;
    // In the reference a limited position is a Python float, which is compared in float64.
    if (position > c.In<T>().max_position) {
      return Stop<double>(std::max(c.max_position, c.min_position), velocity, compared);
    }
    if (position < c.In<T>().min_position) {
      return Stop<double>(c.min_position, velocity, compared);
    }
    return Stop<T>(position, velocity, compared);
  }

  // The left wall stops the car.
  template <std::floating_point P, std::floating_point T, std::floating_point C>
  bool Stop(P position, T velocity, C compared) {
    const Constants& c = *constants_;
    const bool stops = position == c.In<P>().min_position && velocity < T{0};
    const bool is_fast = stops ? 0.0 >= c.goal_velocity : compared >= c.In<C>().goal_velocity;
    position_ = static_cast<double>(static_cast<float>(position));
    velocity_ = stops ? 0.0 : static_cast<double>(static_cast<float>(velocity));
    return is_fast && position >= c.In<P>().goal_position;
  }

  // The reference takes the cosine of three times the position, which must be finite, as float32.
  static constexpr double kFarthest = 1e30;
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::min_action, Constants>("min_action", -kFarthest, kFarthest),
      AttributeOf<&Constants::max_action, Constants>("max_action", -kFarthest, kFarthest),
      AttributeOf<&Constants::min_position, Constants>("min_position", -kFarthest, kFarthest),
      AttributeOf<&Constants::max_position, Constants>("max_position", -kFarthest, kFarthest),
      AttributeOf<&Constants::max_speed, Constants>("max_speed", 0.0, kFarthest),
      AttributeOf<&Constants::goal_position, Constants>("goal_position"),
      AttributeOf<&Constants::goal_velocity, Constants>("goal_velocity"),
      AttributeOf<&Constants::power, Constants>("power", -kFarthest, kFarthest)};

  // In steps and the unit of the model.
  static constexpr double kGravity = 0.0025;  // change of velocity per step on the steepest slope
  static constexpr double kGoalReward = 100.0;
  static constexpr double kForcePrice = 0.1;  // reward per squared force

  double position_ = 0.0;  // float32 values, except after a reset
  double velocity_ = 0.0;
  SharedAttributes<Constants> constants_;
  bool after_reset_ = true;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_CONTINUOUS_H_
