// The options of a task of MetaWorld. Pure data; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASK_OPTIONS_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASK_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/env/attributes.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/mujoco/metaworld/rules.h"

namespace engine::mujoco::metaworld {

// What programs may change at any time.
struct TaskConstants {
  bool is_earlier;             // whether rewards are those of version 1
  bool samples_tasks;          // whether a reset chooses another goal
  bool terminates_on_success;  // whether success ends the episode
};

struct TaskOptions {
  static ParamSchema Schema(const Rules& rules);

  // Throws Error{kOption} if the options do not fit together.
  explicit TaskOptions(const ParamValues& options);

  // Returns the goals that a seed gives: those of this task after those of the tasks before it, of
  // which this environment has every goal_step-th one.
  std::vector<GoalVector> Goals(std::uint32_t seed) const;

  // The space of goals in observations.
  Space SeenGoals() const;
  SpaceSpec ObservationSpace() const;
  // Whether observations are float32, as in the reference's vector environments.
  bool is_float32() const { return num_tasks > 0; }

  const Rules* rules;
  TaskConstants constants;
  std::vector<const Rules*> before;  // tasks whose goals are drawn first
  std::size_t num_goals;             // of each task
  std::size_t most_goals;            // of which goals are chosen
  std::size_t first_goal, goal_step;
  std::int64_t goal_seed;             // added to the seed of the goals
  bool is_observable;                 // whether observations have the goal
  bool is_drawn;                      // whether goals are drawn, or used in a shuffled order
  double reward_alpha;                // rate of the normalization of rewards; 0: none
  std::size_t task_index, num_tasks;  // of the one-hot vector in observations; 0 tasks: none
};

// The space of hands in observations.
inline constexpr Space kSeenHands = {.low = {-0.525, 0.348, -0.0525}, .high = {0.525, 1.025, 0.7}};

// Returns the rules of the task with a name, which exists.
const Rules& RulesOf(const std::string& name);

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASK_OPTIONS_H_
