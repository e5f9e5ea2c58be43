// PointMaze: push a ball through a maze to a goal. The tasks are Gymnasium-Robotics 1.4.2's
// PointMaze_*-v3 with its point.xml. MuJoCo computes the dynamics, the other arithmetic is the
// reference's, and trajectories are bit-equal to it. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_POINT_MAZE_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_POINT_MAZE_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_math.h"
#include "engine/env/environment.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/robotics/maze.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco::robotics {

class PointMaze : public Task {
 public:
  static constexpr MazeVersion kVersion = MazeVersion::kLater;
  static constexpr MazeScale kScale = {.cell = 1.0, .height = 0.4};

  static ParamSchema OptionsOf(const std::vector<std::string>& rows, bool is_dense) {
    ParamSchema options = Maze::OptionsOf(kVersion, rows, is_dense);
    options.push_back(Fixed(FrameSkip(1)));
    // The distance of the camera follows from the map.
    options.push_back(CameraConfig(Version::kV4, {{"distance", {0.0}}}));
    return WithRendering(WithModelChanges(std::move(options)));
  }
  static ParamSchema ResetOptions() { return Maze::ResetOptions(); }
  using Start = Maze::Start;

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(MazeModel("point", options.Get<std::vector<std::string>>("maze_map"), ""),
                 WithCamera(options)),
          maze(options, kVersion, kScale),
          mark(model.SiteId("target")) {}

    Maze::Config maze;
    int mark;  // the site that pictures show at the goal
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec;
    spec.action = SpaceSpec::Box<float>({2}, -1.0F, 1.0F);
    spec.action_out_of_bounds = OutOfBounds::kEnvClips;
    spec.render = RenderSpec{.height = options.Get<std::int64_t>("height"),
                             .width = options.Get<std::int64_t>("width")};
    Maze::AddTo(spec, kVersion, 4);
    return spec;
  }

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Maze::Attributes(config.maze);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    maze_.SetAttribute(index, value);
  }

  explicit PointMaze(const Config& config) : Task(config), config_(config), maze_(config.maze) {}

  void Reset(const Start& start, Rng& rng) {
    const Point position = maze_.Reset(start, rng);
    simulation_.BeginReset();
    std::ranges::copy(position, simulation_.qpos().begin());
    simulation_.EndReset();
    maze_.EndReset(Achieved());
    PutMark();
  }

  StepResult Step(ActionView action, Rng& rng) { return Act(action.Data<float>(), rng); }
  StepResult StepFloat64(ActionView action, Rng& rng) { return Act(action.Data<double>(), rng); }

  void Observe(ObsRow row) const {
    maze_.Observe(Achieved(), row);
    double* const to = row.Data<double>(2);
    std::ranges::copy(simulation_.qvel(), std::ranges::copy(simulation_.qpos(), to).out);
  }

  static constexpr bool kSetsEveryInfo = true;
  void Info(InfoRow row, bool /*after_reset*/) const { row.Set(0, maze_.success()); }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const { SaveWith(state, maze_); }
  void Load(StateReader& state) {
    LoadWith(state, maze_);
    PutMark();
  }

 private:
  // The values of the options with the reference's camera for this map.
  static ParamValues WithCamera(const ParamValues& options) {
    constexpr std::size_t kManyRows = 8;
    const std::size_t rows = options.Get<std::vector<std::string>>("maze_map").size();
    auto values = options.all();
    for (auto& [name, value] : values) {
      if (name == "default_camera_config")
        value = NumberTable{{"distance", {rows > kManyRows ? 12.5 : 8.8}}};
    }
    return ParamValues(std::move(values));
  }

  Point Achieved() const { return {simulation_.qpos()[0], simulation_.qpos()[1]}; }
  void PutMark() { maze_.PutMark(simulation_.data().site_xpos + 3 * config_.mark); }

  template <std::floating_point T>
  StepResult Act(const T* action, Rng& rng) {
    constexpr double kFastest = 5.0;  // m/s
    const std::array<T, 2> forces = {NumpyClip<T>(action[0], -1, 1),
                                     NumpyClip<T>(action[1], -1, 1)};
    for (double& velocity : simulation_.qvel()) velocity = Clip(velocity, -kFastest, kFastest);
    simulation_.ForwardAndStep(std::span<const T>(forces));
    PutMark();
    return maze_.EndStep(Achieved(), rng);
  }

  const Config& config_;
  Maze maze_;
};

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_POINT_MAZE_H_
