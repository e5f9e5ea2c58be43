// See the header.
#include "engine/envs/mujoco/robotics/maze.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco::robotics {
namespace {

constexpr double kReached = 0.45;  // m, the distance at which a goal counts as reached
constexpr double kNoise = 0.25;    // sides of a cell
constexpr const char* kRewards[] = {"sparse", "dense"};

// np.linalg.norm(a - b).
double Distance(Point a, Point b) {
  const Point difference = {a[0] - b[0], a[1] - b[1]};
  return Norm(difference);
}

ParamSpec CellOption(const char* name, const char* doc) {
  return {.name = name,
          .default_value = std::vector<std::int64_t>(),
          .doc = doc,
          .none = NonePolicy::kDefault};
}

std::optional<Cell> ReadCell(const ParamValues& options, const char* name) {
  if (!options.Holds<std::vector<std::int64_t>>(name)) return {};
  const auto& cell = options.Get<std::vector<std::int64_t>>(name);
  if (cell.size() == 2) return Cell{cell[0], cell[1]};
  throw Error(ErrorKind::kOption,
              std::string(name) + ": expected a row and a column, got " + ToString(cell));
}

}  // namespace

ParamSchema Maze::OptionsOf(MazeVersion version, const std::vector<std::string>& rows,
                            bool is_dense) {
  ParamSchema options = {
      {.name = "maze_map",
       .default_value = rows,
       .doc = "Rows of the maze: 1 a wall, 0 free, r for the agent, g for goals, c for both."},
      {.name = "reward_type",
       .default_value = std::string(kRewards[is_dense ? 1 : 0]),
       .doc = "\"sparse\": 1 at the goal, otherwise 0; \"dense\": exp(-distance).",
       .choices = {kRewards[0], kRewards[1]}},
      Flag("continuing_task", true, "Whether an episode goes on when the goal is reached."),
  };
  if (version == MazeVersion::kLater) {
    options.push_back(
        Flag("reset_target", false,
             "Whether another goal is drawn when one is reached, if the episode goes on."));
  }
  return options;
}

ParamSchema Maze::ResetOptions() {
  return {CellOption("goal_cell", "Row and column of the goal's cell; None: drawn."),
          CellOption("reset_cell", "Row and column of the agent's cell; None: drawn.")};
}

Maze::Start::Start(const ParamValues& options)
    : goal(ReadCell(options, "goal_cell")), agent(ReadCell(options, "reset_cell")) {}

Maze::Config::Config(const ParamValues& options, MazeVersion version, MazeScale scale)
    : map(options.Get<std::vector<std::string>>("maze_map"), scale.cell,
          version == MazeVersion::kFirst),
      constants{
          .is_dense = options.Get<std::string>("reward_type") == kRewards[1],
          .continues = options.Get<bool>("continuing_task"),
          .replaces_goal = version == MazeVersion::kFirst || options.Get<bool>("reset_target"),
          .noise = kNoise,
          .start_limit = version == MazeVersion::kFirst ? 0.5 : 0.5 * scale.cell,
          .version = version},
      target_height(scale.height / 2 * scale.cell) {}

void Maze::AddTo(EnvSpec& spec, MazeVersion version, std::int64_t observation_size) {
  spec.observation = SpaceSpec::Dict({{"achieved_goal", ObservationSpace(2)},
                                      {"desired_goal", ObservationSpace(2)},
                                      {"observation", ObservationSpace(observation_size)}});
  if (version == MazeVersion::kLater) spec.infos.push_back(Number("success", DType::kBool));
  constexpr std::int64_t kFps = 50;  // the reference's, for all agents
  spec.render->fps = kFps;
}

namespace {

// The first version lacks the last one.
constexpr Attribute<Maze::Constants> kAttributes[] = {
    ChoiceOf<&Maze::Constants::is_dense>("reward_type", kRewards),
    AttributeOf<&Maze::Constants::continues>("continuing_task"),
    AttributeOf<&Maze::Constants::noise>("position_noise_range", 0.0,
                                         std::numeric_limits<double>::max() / 2.0),
    AttributeOf<&Maze::Constants::replaces_goal>("reset_target")};

}  // namespace

std::vector<AttributeSpec> Maze::Attributes(const Config& config) {
  const bool is_first = config.constants.version == MazeVersion::kFirst;
  return Describe(std::span(kAttributes).first(is_first ? 3 : 4), config.constants);
}

void Maze::SetAttribute(std::size_t index, std::span<const double> value) {
  constants_.Set(kAttributes[index], value);
}

Point Maze::WithNoise(Point position, Rng& rng) const {
  const double noise = constants_->noise + 0.0;  // -0.0 becomes 0.0
  for (double& coordinate : position) {
    coordinate += rng.Uniform(-noise, noise) * config_.map.size();
  }
  return position;
}

void Maze::DrawGoal(Rng& rng) {
  const std::vector<Point>& goals = config_.map.goals();
  const auto index = rng.Integers(0, static_cast<std::int64_t>(goals.size()));
  goal_ = WithNoise(goals[static_cast<std::size_t>(index)], rng);
}

Point Maze::Reset(const Start& start, Rng& rng) {
  const std::vector<Point>& starts = config_.map.starts();
  if (start.goal) {
    goal_ = WithNoise(config_.map.Named("goal_cell", *start.goal), rng);
  } else {
    DrawGoal(rng);
  }
  shown_ = goal_;
  if (start.agent) return WithNoise(config_.map.Named("reset_cell", *start.agent), rng);
  const auto is_far = [&](Point position) {
    return Distance(position, goal_) > constants_->start_limit;
  };
  // The reference draws forever in such a map.
  if (std::ranges::none_of(starts, is_far)) {
    throw Error(ErrorKind::kOption, "maze_map: expected a cell for the agent farther than " +
                                        std::to_string(constants_->start_limit) +
                                        " m from the goal, found none");
  }
  for (;;) {
    const auto index = rng.Integers(0, static_cast<std::int64_t>(starts.size()));
    const Point position = starts[static_cast<std::size_t>(index)];
    if (is_far(position)) return WithNoise(position, rng);
  }
}

bool Maze::IsReached(Point achieved) const { return Distance(achieved, goal_) <= kReached; }

double Maze::Reward(Point achieved) const {
  // np.linalg.norm with an axis, which differs from Norm() in the last bit.
  const double x = achieved[0] - goal_[0];
  const double y = achieved[1] - goal_[1];
  const double distance = std::sqrt(x * x + y * y);
  if (constants_->is_dense) return NumpyExp(-distance);
  return distance <= kReached ? 1.0 : 0.0;
}

StepResult Maze::EndStep(Point achieved, Rng& rng) {
  shown_ = goal_;
  success_ = IsReached(achieved);
  const bool terminated = success_ && !constants_->continues;
  const bool is_first = constants_->version == MazeVersion::kFirst;
  const bool replaces = success_ && constants_->continues && constants_->replaces_goal &&
                        config_.map.goals().size() > 1;
  if (is_first && replaces) DrawGoal(rng);
  const StepResult result{.reward = Reward(achieved), .terminated = terminated};
  if (!is_first && replaces) {
    while (IsReached(achieved)) DrawGoal(rng);
  }
  return result;
}

void Maze::Observe(Point achieved, ObsRow row) const {
  std::ranges::copy(achieved, row.Data<double>(0));
  std::ranges::copy(shown_, row.Data<double>(1));
}

void Maze::PutMark(double* position) const {
  std::ranges::copy(shown_, position);
  position[2] = config_.target_height;
}

void Maze::Save(StateWriter& state) const {
  state.Put(goal_);
  state.Put(shown_);
  state.Put(success_);
}

void Maze::Load(StateReader& state) {
  state.Get(goal_);
  state.Get(shown_);
  state.Get(success_);
}

}  // namespace engine::mujoco::robotics
