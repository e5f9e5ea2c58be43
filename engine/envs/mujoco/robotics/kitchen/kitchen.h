// FrankaKitchen: an arm of nine joints in a kitchen opens doors, turns knobs and moves a kettle.
// The task is Gymnasium-Robotics 1.4.2's FrankaKitchen-v1 with its models. MuJoCo computes the
// dynamics, the other arithmetic is the reference's, and trajectories are bit-equal to it. Each
// instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_KITCHEN_KITCHEN_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_KITCHEN_KITCHEN_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco::robotics::kitchen {

inline constexpr std::size_t kRobotJoints = 9;
inline constexpr std::size_t kPositions = 30;   // numbers of qpos
inline constexpr std::size_t kVelocities = 29;  // numbers of qvel
inline constexpr std::size_t kJointNumbers = kPositions + kVelocities;

// Something to do: numbers of qpos come near to a goal.
struct Goal {
  const char* name;
  std::size_t first, size;  // in qpos
  std::array<double, 7> numbers;
};

class Kitchen : public Task {
 public:
  static ParamSchema Options();

  struct Constants {
    bool terminates;      // whether the episode ends when everything is done
    bool removes;         // whether what is done counts only once
    double object_noise;  // of observed numbers of objects, in parts of their largest noise
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options);

    std::vector<const Goal*> goals;  // in the order of the observation
    Constants constants;
    double robot_noise;  // of observed numbers of the robot, in parts of their largest noise
    // The largest noise of each observed number, in their order.
    std::array<double, kJointNumbers> noise;
    std::array<Interval, kRobotJoints> speeds, positions;  // to which controls are limited
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options);

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  explicit Kitchen(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng& rng);
  void Observe(ObsRow row) const;
  static constexpr bool kSetsEveryInfo = true;
  void Info(InfoRow row, bool after_reset) const;

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const { SaveWith(state, observation_, open_, now_, done_); }
  void Load(StateReader& state) { LoadWith(state, observation_, open_, now_, done_); }

 private:
  using Set = std::uint32_t;  // of goals, one bit each

  Set All() const { return (Set{1} << config_.goals.size()) - 1; }
  std::span<const double> Achieved(const Goal& goal) const {
    return simulation_.qpos().subspan(goal.first, goal.size);
  }
  // Computes the observation of the joints, with noise.
  void ObserveJoints(Rng& rng);

  static const std::array<Attribute<Constants>, 3> kAttributes;

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Positions and velocities of the robot, then of the objects.
  std::array<double, kJointNumbers> observation_{};
  Set open_ = 0;  // goals that still count
  Set now_ = 0;   // goals of the latest step
  Set done_ = 0;  // goals of the episode
};

}  // namespace engine::mujoco::robotics::kitchen

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_KITCHEN_KITCHEN_H_
