// Fetch: move the gripper of an arm, push or slide an object, or carry it to a goal. The tasks are
// Gymnasium-Robotics 1.4.2's Fetch*-v4 with its models. MuJoCo computes the dynamics, the other
// arithmetic is the reference's, and trajectories are bit-equal to it. Each instance runs on one
// thread at a time.
//
// A picture of the reference changes the next steps in their last bits, because drawing computes
// the constraints again, from which the next solution starts. Pictures here change nothing.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_FETCH_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_FETCH_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/robotics/robot.h"
#include "engine/envs/mujoco/robotics/rotations.h"

namespace engine::mujoco::robotics {

enum class FetchTask : std::uint8_t { kReach, kPush, kSlide, kPickAndPlace };

class Fetch : public Robot<3> {
 public:
  static ParamSchema OptionsOf(FetchTask task, RewardType reward);

  struct Constants {
    RewardType reward;
    bool is_in_air;                   // whether half of the goals for an object are above the table
    double threshold;                 // m, the distance at which a goal is reached
    double object_range, goal_range;  // m, around the start of the gripper
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options);

    FetchTask task;
    Constants constants;
    double seconds;                          // of a step
    int grip;                                // site
    int object;                              // site; -1: none
    int target;                              // the site that pictures show at the goal
    std::size_t object_qpos;                 // its place in qpos
    std::array<std::size_t, 2> finger_qpos;  // of the right and the left finger
    std::array<std::size_t, 2> finger_qvel;
    std::vector<std::size_t> control_qpos;  // of the joint of each control
    std::size_t mocap_body;                 // that is welded to the body that the user moves
    // The start of all episodes, after the gripper has moved to its place.
    std::vector<double> qpos, qvel;
    double time;     // s
    Vector gripper;  // position
    double height;   // of the object, m

   private:
    void FindNames();
    void MoveGripper();
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options);

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  explicit Fetch(const Config& config);

  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng&) { return Act(action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Act(action.Data<double>()); }
  void Observe(ObsRow row) const;
  void Render(std::span<std::uint8_t> rgb) const;

  void Load(StateReader& state) {
    Robot::Load(state);
    ObserveAll();
  }

 private:
  static constexpr std::size_t kMostNumbers = 25;  // of an observation

  template <std::floating_point T>
  StepResult Act(const T* action);
  void DrawGoal(Rng& rng);
  const Vector& Achieved() const;
  // Returns the linear or the angular velocity of a site, in m or radians per step.
  Vector SiteVelocity(int site, bool is_angular);
  // Computes the observation of the current state.
  void ObserveAll();

  static const std::array<Attribute<Constants>, 5> kAttributes;

  const Config& config_;
  SharedAttributes<Constants> constants_;
  ArmDataFields data_;  // members of simulation_'s mjData
  std::vector<double> jacobian_;
  std::array<double, kMostNumbers> observation_{};
  Vector gripper_{}, object_{};  // positions of the latest observation
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_FETCH_H_
