// HandReach: bring the tip of the thumb and that of a finger together above the palm of a hand. The
// tasks are Gymnasium-Robotics 1.4.2's HandReach*-v3 with its model. MuJoCo computes the dynamics,
// the other arithmetic is the reference's, and trajectories are bit-equal to it. Each instance runs
// on one thread at a time.
//
// A picture of the reference changes the next steps in their last bits; see fetch.h. Pictures here
// change nothing.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_REACH_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_REACH_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/robotics/hand.h"
#include "engine/envs/mujoco/robotics/robot.h"
#include "engine/envs/mujoco/robotics/rotations.h"

namespace engine::mujoco::robotics {

inline constexpr std::size_t kFingers = 5;  // the last one is the thumb

// A goal has the positions of the tips of all fingers (m).
class HandReach : public Robot<3 * kFingers> {
 public:
  static ParamSchema OptionsOf(RewardType reward);

  struct Constants {
    RewardType reward;
    double threshold;  // m, the distance at which a goal is reached
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options);

    Constants constants;
    Hand hand;
    std::array<int, kFingers> tips;              // sites
    std::array<int, kFingers> targets, fingers;  // sites that pictures show at goals and at tips
    // The start of all episodes.
    std::vector<double> qpos;
    Goal tips_at_start;
    Vector palm;  // position, m
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options) {
    return RobotSpec(options, {.goal = 3 * kFingers, .observation = kNumbers, .action = 20});
  }

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  explicit HandReach(const Config& config)
      : Robot(config), config_(config), constants_(config.constants) {}

  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng&) { return Act(action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Act(action.Data<double>()); }
  void Observe(ObsRow row) const { ObserveWith(row, tips_, observation_); }
  void Render(std::span<std::uint8_t> rgb) const;

  void Load(StateReader& state) {
    Robot::Load(state);
    ObserveAll();
  }

 private:
  static constexpr std::size_t kNumbers = 2 * Hand::kJoints + 3 * kFingers;  // of an observation

  template <std::floating_point T>
  StepResult Act(const T* action);
  void DrawGoal(Rng& rng);
  void ObserveAll();

  static const std::array<Attribute<Constants>, 2> kAttributes;

  const Config& config_;
  SharedAttributes<Constants> constants_;
  std::array<double, kNumbers> observation_{};
  Goal tips_{};  // of the latest observation
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_REACH_H_
