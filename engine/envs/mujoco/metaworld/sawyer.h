// MetaWorld: a Sawyer arm whose gripper is moved by the user, in 50 tasks. They are those of
// MetaWorld 3.1.1 with its models. MuJoCo computes the dynamics, the other arithmetic is the
// reference's, and trajectories are bit-equal to it. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_SAWYER_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_SAWYER_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/metaworld/beginnings.h"
#include "engine/envs/mujoco/metaworld/reward_scale.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"
#include "engine/envs/mujoco/metaworld/task_options.h"

namespace engine::mujoco::metaworld {

class Sawyer {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema OptionsOf(const Rules& rules) { return TaskOptions::Schema(rules); }
  static ParamSchema ResetOptions();
  struct Start {
    explicit Start(const ParamValues& options) : samples_task(options.Get<bool>("sample_tasks")) {}

    bool samples_task;  // whether another goal is chosen, whatever the attribute says
  };

  struct Config : Basics {
    explicit Config(const ParamValues& values);

    ParamValues values;
    TaskOptions options;
    std::shared_ptr<Beginnings> beginnings;
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options);

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value);

  explicit Sawyer(const Config& config);

  void Seed(std::uint64_t seed, Rng& rng);
  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng&) { return Act(action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Act(action.Data<double>()); }
  void Observe(ObsRow row) const;
  void Info(InfoRow row, bool after_reset) const;
  void Render(std::span<std::uint8_t> rgb) const;
  void EnableRender() { config_.renderer.Open(); }

  static constexpr std::uint32_t kStateVersion = 2;
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  // 18 numbers of now, 18 of the step before, and the goal.
  using Observation = std::array<double, 39>;

  template <std::floating_point T>
  StepResult Act(const T* action);
  // Chooses the goal of the next episode.
  void ChooseGoal(Rng& rng);
  // Starts an episode with the goal `goal_`.
  void Begin();
  // Returns the observation of now and of before, not clipped.
  Observation Compose(const Half& now, Vector target) const;

  const Config& config_;
  SharedAttributes<TaskConstants> constants_;
  Scene scene_;
  std::vector<double> start_;  // its state at the start of the episode
  std::uint32_t seed_ = 0;
  std::vector<GoalVector> goals_;     // that the seed gives
  std::vector<std::uint32_t> order_;  // in which the goals are used, if they are not drawn
  std::size_t next_ = 0;              // in order_
  GoalVector goal_;
  bool has_goal_ = false;
  bool is_start_ = false;  // whether no step has been made since the reset
  std::int64_t steps_ = 0;
  RewardScale scale_;  // of all rewards since the seed
  Half before_{};      // of the latest observation, not clipped
  Observation observation_{};
  std::array<double, 7> infos_{};
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_SAWYER_H_
