// What the robots of Fetch and the hands have in common, as the reference's BaseRobotEnv: goals,
// rewards, spaces and options.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ROBOT_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ROBOT_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/base/numpy_arrays.h"
#include "engine/env/environment.h"
#include "engine/env/params.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/robotics/rotations.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco::robotics {

inline constexpr int kSubsteps = 20;  // physics steps per step

enum class RewardType : std::uint8_t { kSparse, kDense };
inline constexpr const char* kRewardTypes[] = {"sparse", "dense"};

// Returns the option of a choice, whose default is one of the texts. `doc` is one line.
template <class E, std::size_t kCount>
ParamSpec Choice(const char* name, const char* const (&texts)[kCount], E value, const char* doc) {
  return {.name = name,
          .default_value = std::string(texts[static_cast<std::size_t>(value)]),
          .doc = doc,
          .choices = {texts, texts + kCount}};
}
// Returns the value of such an option.
template <class E, std::size_t kCount>
E ReadChoice(const ParamValues& options, const char* name, const char* const (&texts)[kCount]) {
  const auto* const found = std::ranges::find(texts, options.Get<std::string>(name));
  return static_cast<E>(found - texts);
}

inline constexpr const char* kRewardType = "reward_type";
inline constexpr const char* kThreshold = "distance_threshold";
inline RewardType ReadReward(const ParamValues& options) {
  return ReadChoice<RewardType>(options, kRewardType, kRewardTypes);
}

// Returns the option reward_type of a task whose goals are positions.
ParamSpec RewardOfDistance(RewardType reward);

// Returns a task's own options, followed by those of every robot. `camera` is the default of
// default_camera_config.
ParamSchema WithRobot(ParamSchema options, NumberTable camera);

struct RobotSizes {
  std::int64_t goal, observation, action;  // numbers
};
EnvSpec RobotSpec(const ParamValues& options, RobotSizes sizes);

// Returns a row of an array of positions.
inline Vector At(const double* positions, int index) {
  const double* const found = positions + 3 * static_cast<std::ptrdiff_t>(index);
  return {found[0], found[1], found[2]};
}

// np.linalg.norm(a - b, axis=-1).
template <std::size_t kSize>
double Distance(const std::array<double, kSize>& a, const std::array<double, kSize>& b) {
  std::array<double, kSize> difference;
  for (std::size_t i = 0; i < kSize; ++i) difference[i] = a[i] - b[i];
  return std::sqrt(SumOfSquares(std::span<const double>(difference)));
}

// Throws Error{kOption} because the model is not the expected one.
[[noreturn]] void ThrowOtherModel(const std::string& path);

// The goal of an episode, and whether the latest step has reached it. Each instance runs on one
// thread at a time.
template <std::size_t kSize>
class Robot : public Task {
 public:
  using Goal = std::array<double, kSize>;

  void Info(InfoRow row, bool after_reset) const {
    if (!after_reset) row.Set(0, is_success_ ? 1.0F : 0.0F);
  }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const { SaveWith(state, goal_, is_success_); }
  void Load(StateReader& state) { LoadWith(state, goal_, is_success_); }

 protected:
  using Task::Task;

  // Ends a step at a distance from the goal (m).
  StepResult Reach(double distance, double threshold, RewardType reward) {
    is_success_ = distance < threshold;
    // Minus a truth value: -0.0 at the goal.
    const double sparse = -(distance > threshold ? 1.0 : 0.0);
    return {.reward = reward == RewardType::kDense ? -distance : sparse};
  }

  void ObserveGoals(ObsRow row, const Goal& achieved) const {
    std::ranges::copy(achieved, row.Data<double>(0));
    std::ranges::copy(goal_, row.Data<double>(1));
  }
  void ObserveWith(ObsRow row, const Goal& achieved, std::span<const double> observation) const {
    ObserveGoals(row, achieved);
    std::ranges::copy(observation, row.Data<double>(2));
  }

  Goal goal_{};
  bool is_success_ = false;
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ROBOT_H_
