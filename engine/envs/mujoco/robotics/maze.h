// The goals of a maze task: Gymnasium-Robotics 1.4.2's MazeEnv, without the agent. PointMaze and
// AntMaze have one. Each instance belongs to one environment; one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_MAZE_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_MAZE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/attributes.h"
#include "engine/env/environment.h"
#include "engine/env/params.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/robotics/maze_map.h"

namespace engine::mujoco::robotics {

// How the versions of the tasks differ.
enum class MazeVersion : std::uint8_t {
  // A goal that is reached is replaced before the reward is computed, so that the reward is for
  // the new goal. There is no info of success.
  kFirst,
  // A goal that is reached is replaced after everything else, and only with `reset_target`.
  kLater,
};

// What differs between the agents.
struct MazeScale {
  double cell;    // side of a cell, m
  double height;  // of the walls, in sides of a cell
};

class Maze {
 public:
  // Options of all mazes; `is_dense` and `rows` are the defaults of the id.
  static ParamSchema OptionsOf(MazeVersion version, const std::vector<std::string>& rows,
                               bool is_dense);
  static ParamSchema ResetOptions();

  // The cells in which the goal and the agent begin, if the user has named them.
  struct Start {
    explicit Start(const ParamValues& options);

    std::optional<Cell> goal;
    std::optional<Cell> agent;
  };

  struct Constants {
    bool is_dense;       // whether the reward is exp(-distance)
    bool continues;      // whether the episode goes on at the goal
    bool replaces_goal;  // whether a goal that is reached is replaced, if the episode goes on
    double noise;        // of positions in a cell, in sides of a cell
    double start_limit;  // m: a start is farther from the goal
    MazeVersion version;
  };

  struct Config {
    Config(const ParamValues& options, MazeVersion version, MazeScale scale);

    MazeMap map;
    Constants constants;
    double target_height;  // m, of the mark that pictures have at the goal
  };

  // Changes the observation space to the dict of a goal task, and adds the info of success.
  static void AddTo(EnvSpec& spec, MazeVersion version, std::int64_t observation_size);

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value);

  explicit Maze(const Config& config) : config_(config), constants_(config.constants) {}

  // Begins an episode: draws a goal, and returns where the agent begins. Throws Error{kOption} if
  // the map lacks a named cell, or has no start that is far enough from the goal.
  Point Reset(const Start& start, Rng& rng);
  // After the agent's reset.
  void EndReset(Point achieved) { success_ = IsReached(achieved); }
  // After the agent's step.
  StepResult EndStep(Point achieved, Rng& rng);

  // Writes the achieved and the desired goal, which are leaves 0 and 1.
  void Observe(Point achieved, ObsRow row) const;
  // Whether the agent was at the goal of the observation.
  bool success() const { return success_; }
  // Moves the mark of the goal to where the reference has it in a picture: `position` is that of
  // its site in mjData. Called after each reset and step, because MuJoCo computes it anew.
  void PutMark(double* position) const;

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  void DrawGoal(Rng& rng);
  Point WithNoise(Point position, Rng& rng) const;
  bool IsReached(Point achieved) const;
  double Reward(Point achieved) const;

  const Config& config_;
  SharedAttributes<Constants> constants_;
  Point goal_{};
  Point shown_{};  // the goal of the latest observation
  bool success_ = false;
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_MAZE_H_
