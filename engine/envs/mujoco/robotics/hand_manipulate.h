// HandManipulate: turn and move an object in a hand to a goal. The tasks are Gymnasium-Robotics
// 1.4.2's HandManipulate*-v1 with its models. MuJoCo computes the dynamics, the other arithmetic is
// the reference's, and trajectories are bit-equal to it. Each instance runs on one thread at a
// time.
//
// A picture of the reference changes the next steps in their last bits; see fetch.h. Pictures here
// change nothing.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_MANIPULATE_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_MANIPULATE_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/robotics/hand.h"
#include "engine/envs/mujoco/robotics/robot.h"
#include "engine/envs/mujoco/robotics/rotations.h"

namespace engine::mujoco::robotics {

enum class TargetPosition : std::uint8_t { kIgnore, kFixed, kRandom };
enum class TargetRotation : std::uint8_t { kXyz, kZ, kParallel };
// How observations have the numbers of the touch sensors.
enum class TouchReading : std::uint8_t { kForces, kBooleans, kLogarithms, kNone };
// Whether pictures show the touch sensors in the colours of the model, by their reading, or not.
enum class TouchMarks : std::uint8_t { kOnTouch, kAlways, kOff };

// What differs between the ids.
struct Manipulation {
  const char* object;  // "block", "egg" or "pen"
  TargetPosition position;
  TargetRotation rotation;
  std::optional<TouchReading> touch;  // of a model with touch sensors
  RewardType reward;
};

// A goal is the pose of the object: its position (m) and its rotation, a quaternion.
class HandManipulate : public Robot<7> {
 public:
  static ParamSchema OptionsOf(const Manipulation& task);

  struct Constants {
    RewardType reward;
    TargetPosition position;
    TargetRotation rotation;
    bool ignores_z;  // whether the goal's rotation about z does not matter
    bool starts_anywhere, starts_in_any_rotation;
    double threshold;           // m, the distance at which a goal is reached
    double rotation_threshold;  // radians
    TouchReading touch;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options);

    Constants constants;
    Hand hand;
    // Places of the object and of the mark that pictures show at the goal.
    std::size_t object_qpos, object_qvel, target_qpos, target_qvel;
    int center;  // of the object, a site
    struct Sensor {
      std::size_t reading;  // its place in sensordata
      std::size_t site;
    };
    std::vector<Sensor> sensors;
    TouchMarks marks;
    std::vector<double> qpos;  // of the model
    std::array<Quaternion, kParallelRotations> parallel_rotations;
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options);

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  explicit HandManipulate(const Config& config);

  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng&) { return Act(action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Act(action.Data<double>()); }
  void Observe(ObsRow row) const;
  void Render(std::span<std::uint8_t> rgb) const;

 private:
  template <std::floating_point T>
  StepResult Act(const T* action);
  Goal Achieved() const;
  // Lets the object fall into the hand. Returns whether it lies there.
  bool Settle(Rng& rng);
  void DrawGoal(Rng& rng);
  Quaternion DrawRotation(Rng& rng) const;
  // The distance (m) and the angle (radians) between a pose and the goal.
  struct PoseError {
    double distance, angle;
  };
  PoseError ErrorOf(const Goal& pose) const;
  double Reading(double force) const;

  static const std::array<Attribute<Constants>, 9> kAttributes;

  const Config& config_;
  SharedAttributes<Constants> constants_;
  ArmDataFields data_;  // members of simulation_'s mjData
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_HAND_MANIPULATE_H_
