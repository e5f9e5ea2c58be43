// MountainCar: drive an underpowered car out of a valley, up the right hill, with three discrete
// actions. The dynamics are those of Moore (1990) and of Sutton's MountainCar1. The arithmetic
// follows the order of Gymnasium 1.4.0's MountainCarEnv, and trajectories are bit-equal to
// Gymnasium's. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_H_

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/envs/classic_control/lanes/lanes.h"
#include "engine/envs/classic_control/reset_bounds.h"

namespace engine::classic_control {

// Has Gymnasium's names. Lengths are in the unit of the model, and times are in steps.
struct MountainCarConstants {
  double min_position = -1.2;
  double max_position = 0.6;
  double max_speed = 0.07;
  double goal_position = 0.5;
  double goal_velocity = 0.0;
  double force = 0.001;     // change of velocity per step
  double gravity = 0.0025;  // change of velocity per step on the steepest slope
};

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
    const Constants defaults;
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>(
        {2}, {static_cast<float>(defaults.min_position), static_cast<float>(-defaults.max_speed)},
        {static_cast<float>(defaults.max_position), static_cast<float>(defaults.max_speed)});
    spec.action = SpaceSpec::Discrete(3);  // 0: accelerate left, 1: coast, 2: accelerate right
    spec.scene_size = 4;
    return spec;
  }

  using Constants = MountainCarConstants;

  struct Config {
    explicit Config(const ParamValues& options) {
      constants.goal_velocity = options.Get<double>("goal_velocity");
    }
    Constants constants;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }

  using Start = ResetBounds;

  explicit MountainCar(const Config& config) : constants_(config.constants) {}

  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start& start, Rng& rng) {
    state_.position = rng.Uniform(start.low(), start.high());
    state_.velocity = 0.0;
  }

  StepResult Step(ActionView action, Rng&) {
    auto& [position, velocity] = state_;
    const Constants& c = *constants_;
    const double change = Push(action) + std::cos(3.0 * position) * -c.gravity;
    velocity = NumpyClip(velocity + change, -c.max_speed, c.max_speed);
    position = NumpyClip(position + velocity, c.min_position, c.max_position);
    if (position == c.min_position && velocity < 0.0) velocity = 0.0;
    const bool terminated = position >= c.goal_position && velocity >= c.goal_velocity;
    return {.reward = -1.0, .terminated = terminated};
  }

  static std::uint32_t LeastTogether() { return LeastInLanes(LaneSines::kLibrary); }
  static void StepMany(StepRange<MountainCar> range) {
    LaneBatch<Constants> batch(range);
    for (std::uint32_t k = 0; k < range.size(); ++k) {
      MountainCar& env = range.env(k);
      batch.Add(env.state_, *env.constants_, env.Push(range.action(k)));
    }
    batch.FillLanes();
    Lanes().step_mountain_car(batch);
  }

  void Observe(ObsRow row) const {
    float* obs = row.Data<float>();
    obs[0] = static_cast<float>(state_.position);
    obs[1] = static_cast<float>(state_.velocity);
  }

  // The car's position; min_position, max_position and goal_position.
  void Scene(std::span<double> scene) const {
    scene[0] = state_.position;
    scene[1] = constants_->min_position;
    scene[2] = constants_->max_position;
    scene[3] = constants_->goal_position;
  }

  void Save(StateWriter& state) const {
    state.Put(state_.position);
    state.Put(state_.velocity);
  }
  void Load(StateReader& state) {
    state.Get(state_.position);
    state.Get(state_.velocity);
  }

 private:
  // The change of velocity by the motor.
  double Push(ActionView action) const {
    return static_cast<double>(action.Index() - 1) * constants_->force;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The reference takes the cosine of three times the position, which must be finite.
  static constexpr double kFarthest = 1e100;
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::min_position>("min_position", -kFarthest, kFarthest),
      AttributeOf<&Constants::max_position>("max_position", -kFarthest, kFarthest),
      AttributeOf<&Constants::max_speed>("max_speed", 0.0, kInfinity),
      AttributeOf<&Constants::goal_position>("goal_position"),
      AttributeOf<&Constants::goal_velocity>("goal_velocity"),
      AttributeOf<&Constants::force>("force", -kFarthest, kFarthest),
      AttributeOf<&Constants::gravity>("gravity", -kFarthest, kFarthest)};

  struct State {
    double position = 0.0;
    double velocity = 0.0;
  };
  State state_;
  SharedAttributes<Constants> constants_;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_MOUNTAIN_CAR_H_
