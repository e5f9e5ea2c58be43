// AntMaze: walk on four legs through a maze to a goal. The tasks are Gymnasium-Robotics 1.4.2's
// AntMaze_*, on Gymnasium's Ant. MuJoCo computes the dynamics, the other arithmetic is the
// references', and trajectories are bit-equal to them. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ANT_MAZE_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ANT_MAZE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/mujoco/ant.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/robotics/maze.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/rows.h"

namespace engine::mujoco::robotics {

// kMaze is the version of the maze: AntMaze-v3 has the first one. kBody is the version of the ant:
// AntMaze-v5 has v5, the others v4.
template <MazeVersion kMaze, Version kBody>
class AntMaze : public Ant<kBody> {
 public:
  using Body = Ant<kBody>;
  static constexpr MazeScale kScale = {.cell = 4.0, .height = 0.5};

  static ParamSchema OptionsOf(const std::vector<std::string>& rows, bool is_dense) {
    ParamSchema options = Maze::OptionsOf(kMaze, rows, is_dense);
    for (ParamSpec& option : Body::Options()) {
      // As in the reference, resets have no noise, and the body observes its position.
      if (option.name == "reset_noise_scale") {
        option = Fixed(ResetNoiseScale(0.0));
      } else if (option.name == "exclude_current_positions_from_observation") {
        option.default_value = false;
        option.fixed = true;
      } else if (option.name == "xml_file") {
        option.fixed = kBody == Version::kV4;
      }
      options.push_back(std::move(option));
    }
    return WithRendering(WithModelChanges(std::move(options)));
  }
  static ParamSchema ResetOptions() { return Maze::ResetOptions(); }
  using Start = Maze::Start;

  struct Config : Body::Config {
    explicit Config(const ParamValues& options)
        : Body::Config(MazeModel("ant", options.Get<std::vector<std::string>>("maze_map"),
                                 options.Get<std::string>("xml_file")),
                       options),
          maze(options, kMaze, kScale),
          success_field(Body::Spec(options).infos.size()),
          mark(this->model.SiteId("target")) {}

    Maze::Config maze;
    std::size_t success_field;
    int mark;  // the site that pictures show at the goal
  };

  // Needs the ant's model only, because walls change no space.
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec = Body::Spec(options);
    Maze::AddTo(spec, kMaze, NumElements(spec.observation.shape) - 2);
    return spec;
  }

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Maze::Attributes(config.maze);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    maze_.SetAttribute(index, value);
  }

  explicit AntMaze(const Config& config) : Body(config), config_(config), maze_(config.maze) {}

  void Reset(const Start& start, Rng& rng) {
    const Point position = maze_.Reset(start, rng);
    this->simulation_.BeginReset();
    std::ranges::copy(position, this->simulation_.qpos().begin());
    // The reference adds noise of scale 0, so that no number is -0.0.
    for (double& number : this->simulation_.qpos()) number += 0.0;
    this->simulation_.EndReset();
    maze_.EndReset(Achieved());
    PutMark();
  }

  StepResult Step(ActionView action, Rng& rng) {
    Body::Step(action, rng);
    return EndStep(rng);
  }
  StepResult StepFloat64(ActionView action, Rng& rng) {
    Body::StepFloat64(action, rng);
    return EndStep(rng);
  }

  void Observe(ObsRow row) const {
    maze_.Observe(Achieved(), row);
    Body::WriteObservation(row.Data<double>(2), 2);
  }

  void Info(InfoRow row, bool after_reset) const {
    Body::Info(row, after_reset);
    if constexpr (kMaze == MazeVersion::kLater) row.Set(config_.success_field, maze_.success());
  }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const {
    Body::Save(state);
    maze_.Save(state);
  }
  void Load(StateReader& state) {
    Body::Load(state);
    maze_.Load(state);
    PutMark();
  }

 private:
  Point Achieved() const { return {this->simulation_.qpos()[0], this->simulation_.qpos()[1]}; }
  void PutMark() { maze_.PutMark(this->simulation_.data().site_xpos + 3 * config_.mark); }

  StepResult EndStep(Rng& rng) {
    PutMark();
    return maze_.EndStep(Achieved(), rng);
  }

  const Config& config_;
  Maze maze_;
};

using AntMazeV3 = AntMaze<MazeVersion::kFirst, Version::kV4>;
using AntMazeV4 = AntMaze<MazeVersion::kLater, Version::kV4>;
using AntMazeV5 = AntMaze<MazeVersion::kLater, Version::kV5>;

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ANT_MAZE_H_
