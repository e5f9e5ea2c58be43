// Levels on one grid with a goal, as in MiniGrid 3.2.0: Empty, DoorKey, DistShift, LavaGap,
// FourRooms and DynamicObstacles.
#include "engine/envs/minigrid/level.h"

namespace engine::minigrid {
namespace grid_levels {
namespace {

constexpr std::string_view kToGoal = "get to the green goal square";

// The cell and the direction in which the agent starts. If the option gives no cell, both are
// drawn.
struct AgentStart {
  static void AddOptions(ParamSchema& schema) {
    schema.push_back(CellOption("agent_start_pos", {1, 1},
                                "Cell [x, y] where the agent starts. None: a random one."));
    schema.push_back(
        IntOption("agent_start_dir", 0,
                  "Direction of the agent at the start, if its cell is given: 0 right, "
                  "1 down, 2 left, 3 up.",
                  0, 3));
  }

  AgentStart(const ParamValues& options, int width, int height)
      : at(GetCell(options, "agent_start_pos", width, height)),
        direction(GetInt(options, "agent_start_dir")) {}

  void Place(World& world, Rng& rng) const {
    if (at == kNowhere) {
      world.PlaceAgent(rng);
    } else {
      world.agent = at;
      world.direction = direction;
    }
  }

  Point at;
  int direction;
};

class Empty : public Level {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {IntOption("size", 8, kSizeDoc, 3, kMaxSide)};
    AgentStart::AddOptions(schema);
    schema.push_back(MaxStepsOption());
    return schema;
  }
  explicit Empty(const ParamValues& options)
      : Level(Square(options, 4 * Area(options), true)),
        start_(options, traits_.size.width, traits_.size.height) {
    RequireOption(start_.at != kNowhere || traits_.size.width > 3, "agent_start_pos",
                  "a cell if \"size\" is 3", "None");
  }

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    world.Set({world.width - 2, world.height - 2}, kGoalId);
    start_.Place(world, rng);
    world.SetMission({kToGoal});
  }

 private:
  AgentStart start_;
};

class DoorKey : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("size", 8, kSizeDoc, 5, kMaxSide), MaxStepsOption(), SeeThroughWallsOption()};
  }
  explicit DoorKey(const ParamValues& options)
      : Level(Square(options, 10 * Area(options), options.Get<bool>("see_through_walls"), 2)) {}

  void Generate(World& world, Rng& rng) const override {
    const int width = world.width;
    const int height = world.height;
    world.Clear();
    world.WallRectangle(0, 0, width, height);
    world.Set({width - 2, height - 2}, kGoalId);
    const int split = World::RandInt(rng, 2, width - 2);
    world.VerticalWall(split, 0, height);
    world.PlaceAgent(rng, {0, 0}, {split, height});
    const int door = World::RandInt(rng, 1, height - 2);
    world.Put(world.NewDoor(Color::kYellow, true), {split, door});
    world.PlaceAnywhere(rng, world.New(Type::kKey, Color::kYellow), {0, 0}, {split, height});
    world.SetMission({"use the key to open the door and then get to the goal"});
  }
};

class DistShift : public Level {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {
        IntOption("width", 9, "Columns of the grid, with the outer walls.", 4, kMaxSide),
        IntOption("height", 7, "Rows of the grid, with the outer walls.", 4, kMaxSide)};
    AgentStart::AddOptions(schema);
    schema.push_back(IntOption("strip2_row", 2, "Row of the second strip of lava.", 0, kMaxSide));
    schema.push_back(MaxStepsOption());
    return schema;
  }
  explicit DistShift(const ParamValues& options)
      : Level({.size = {.width = GetInt(options, "width"), .height = GetInt(options, "height")},
               .max_steps = MaxSteps(
                   options, std::int64_t{4} * GetInt(options, "width") * GetInt(options, "height")),
               .see_through_walls = true}),
        start_(options, traits_.size.width, traits_.size.height),
        row_(GetInt(options, "strip2_row")) {
    RequireOption(row_ < traits_.size.height, "strip2_row",
                  "a row of the grid, less than " + std::to_string(traits_.size.height),
                  std::to_string(row_));
  }

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    world.Set({world.width - 2, 1}, kGoalId);
    for (int i = 0; i < world.width - 6; ++i) {
      world.Set({3 + i, 1}, kLavaId);
      world.Set({3 + i, row_}, kLavaId);
    }
    start_.Place(world, rng);
    world.SetMission({kToGoal});
  }

 private:
  AgentStart start_;
  int row_;
};

class LavaGap : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("size", 5, kSizeDoc, 5, kMaxSide),
            ChoiceOption("obstacle_type", "lava", kObstacleDoc, {"lava", "wall"}),
            MaxStepsOption()};
  }
  explicit LavaGap(const ParamValues& options)
      : Level(Square(options, 4 * Area(options), false)),
        lava_(options.Get<std::string>("obstacle_type") == "lava") {}

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    world.agent = {1, 1};
    world.direction = 0;
    world.Set({world.width - 2, world.height - 2}, kGoalId);
    const int x = World::RandInt(rng, 2, world.width - 2);
    const int y = World::RandInt(rng, 1, world.height - 1);
    world.VerticalWall(x, 1, world.height - 2, lava_ ? kLavaId : kWallId);
    world.Set({x, y}, kNothing);
    world.SetMission({CrossingMission(lava_)});
  }

 private:
  bool lava_;
};

class FourRooms : public Level {
 public:
  static ParamSchema Options() {
    return {
        CellOption("agent_pos", {}, "Cell [x, y] where the agent starts. None: a random one."),
        CellOption("goal_pos", {}, "Cell [x, y] of the goal. None: a random one."),
        IntOption("max_steps", 100, "Steps after which the environment truncates an episode.", 1),
        SeeThroughWallsOption()};
  }
  explicit FourRooms(const ParamValues& options)
      : Level({.size = {.width = kSize, .height = kSize},
               .max_steps = MaxSteps(options, 100),
               .see_through_walls = options.Get<bool>("see_through_walls")}),
        agent_(GetCell(options, "agent_pos", kSize, kSize)),
        goal_(GetCell(options, "goal_pos", kSize, kSize)) {}

  void Generate(World& world, Rng& rng) const override {
    constexpr int kRoom = kSize / 2;
    world.Clear();
    world.WallRectangle(0, 0, kSize, kSize);
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 2; ++i) {
        const int left = i * kRoom;
        const int top = j * kRoom;
        if (i == 0) {
          world.VerticalWall(left + kRoom, top, kRoom);
          world.Set({left + kRoom, World::RandInt(rng, top + 1, top + kRoom)}, kNothing);
        }
        if (j == 0) {
          world.HorizontalWall(left, top + kRoom, kRoom);
          world.Set({World::RandInt(rng, left + 1, left + kRoom), top + kRoom}, kNothing);
        }
      }
    }
    if (agent_ != kNowhere) {
      world.agent = agent_;
      world.Set(agent_, kNothing);
      world.direction = World::RandInt(rng, 0, 4);
    } else {
      world.PlaceAgent(rng);
    }
    if (goal_ != kNowhere) {
      world.Set(goal_, kGoalId);
    } else {
      world.PlaceAnywhere(rng, kGoalId);
    }
    world.SetMission({"reach the goal"});
  }

 private:
  static constexpr int kSize = 19;

  Point agent_;
  Point goal_;
};

class DynamicObstacles : public Level {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {IntOption("size", 8, kSizeDoc, 4, kMaxSide)};
    AgentStart::AddOptions(schema);
    schema.push_back(
        IntOption("n_obstacles", 4, "Moving balls. If more than size / 2 + 1: size / 2.", 0));
    schema.push_back(MaxStepsOption());
    return schema;
  }
  explicit DynamicObstacles(const ParamValues& options)
      : Level(Square(options, 4 * Area(options), true, Obstacles(options))),
        start_(options, traits_.size.width, traits_.size.height),
        obstacles_(Obstacles(options)) {
    traits_.num_actions = kForward + 1;
  }

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    world.Set({world.width - 2, world.height - 2}, kGoalId);
    start_.Place(world, rng);
    for (int i = 0; i < obstacles_; ++i) {
      const Point at = world.Place(
          rng, world.New(Type::kBall, Color::kBlue), {0, 0}, {world.width, world.height},
          [](Point) { return false; }, kTries);
      if (at == kNowhere) World::ThrowNoPlace();
    }
    world.SetMission({kToGoal});
  }

  StepResult Step(World& world, std::int64_t action, Rng& rng) const override {
    const Type ahead = world.ObjectAt(world.front()).type;
    const bool is_blocked = ahead != Type::kEmpty && ahead != Type::kGoal;
    for (ObjectId id = kFirstOwn; id < world.objects.size(); ++id) {
      const Point from = world.objects[id].position();
      const Point to =
          world.Place(rng, id, from - Point{1, 1}, {3, 3}, [](Point) { return false; }, kTries);
      if (to != kNowhere) world.Set(from, kNothing);
    }
    StepResult result = world.Act(action);
    if (action == kForward && is_blocked) {
      result.reward = -1.0;
      result.terminated = true;
    }
    return result;
  }

 private:
  static constexpr int kTries = 100;
  static int Obstacles(const ParamValues& options) {
    const int size = GetInt(options, "size");
    const int n = GetInt(options, "n_obstacles");
    return 2 * n <= size + 2 ? n : size / 2;
  }

  AgentStart start_;
  int obstacles_;
};

constexpr LevelKind kKinds[] = {
    KindOf<Empty>("Empty"),         KindOf<DoorKey>("DoorKey"),
    KindOf<DistShift>("DistShift"), KindOf<LavaGap>("LavaGap"),
    KindOf<FourRooms>("FourRooms"), KindOf<DynamicObstacles>("DynamicObstacles"),
};

}  // namespace
}  // namespace grid_levels

std::span<const LevelKind> GridLevels() { return grid_levels::kKinds; }

}  // namespace engine::minigrid
