// Levels with individual floor plans, as in MiniGrid 3.2.0: Memory, LockedRoom, Playground and
// RedBlueDoors.
#include <algorithm>
#include <array>
#include <string>

#include "engine/envs/minigrid/level.h"

namespace engine::minigrid {
namespace planned_levels {
namespace {

constexpr std::array kThings = {Type::kKey, Type::kBall, Type::kBox};

class Memory : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("size", 7, std::string(kSizeDoc) + " Odd.", 7, kMaxSide),
            BoolOption("random_length", false, "Whether the hallway has a random length."),
            MaxStepsOption()};
  }
  explicit Memory(const ParamValues& options)
      : Level(Square(options, 5 * Area(options), false, 3)),
        random_length_(options.Get<bool>("random_length")) {
    RequireOption(traits_.size.width % 2 == 1, "size", "an odd number",
                  std::to_string(traits_.size.width));
  }

  void Generate(World& world, Rng& rng) const override {
    const int height = world.height;
    const int middle = height / 2;
    world.Clear();
    world.WallRectangle(0, 0, world.width, height);
    const int end = random_length_ ? World::RandInt(rng, 4, world.width - 2) : world.width - 3;
    for (const int side : {-1, 1}) {
      world.HorizontalWall(1, middle + 2 * side, 4);
      world.Set({4, middle + side}, kWallId);
      world.HorizontalWall(5, middle + side, end - 5);
    }
    for (int y = 0; y < height; ++y) {
      if (y != middle) world.Set({end, y}, kWallId);
      world.Set({end + 2, y}, kWallId);
    }
    world.agent = {World::RandInt(rng, 1, end + 1), middle};
    world.direction = 0;
    static constexpr std::array kTypes = {Type::kKey, Type::kBall};
    const Type shown = World::RandElement(rng, kTypes);
    world.Set({1, middle - 1}, world.New(shown, Color::kGreen));
    const bool ball_first = World::RandInt(rng, 0, 2) == 0;
    const Type above = ball_first ? Type::kBall : Type::kKey;
    world.Set({end + 1, middle - 2}, world.New(above, Color::kGreen));
    world.Set({end + 1, middle + 2},
              world.New(ball_first ? Type::kKey : Type::kBall, Color::kGreen));
    const int side = shown == above ? -1 : 1;
    world.target_position = {end + 1, middle + side};
    world.other_position = {end + 1, middle - side};
    world.SetMission({"go to the matching object at the end of the hallway"});
  }

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    StepResult result = world.Act(action == kTakeUp ? std::int64_t{kToggle} : action);
    if (world.agent == world.target_position) {
      result.reward = world.Reward();
      result.terminated = true;
    } else if (world.agent == world.other_position) {
      result.reward = 0.0;
      result.terminated = true;
    }
    return result;
  }

 private:
  bool random_length_;
};

class LockedRoom : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("size", 19, kSizeDoc, 10, kMaxSide), MaxStepsOption(),
            SeeThroughWallsOption()};
  }
  explicit LockedRoom(const ParamValues& options)
      : Level(Square(options, std::int64_t{10} * GetInt(options, "size"),
                     options.Get<bool>("see_through_walls"), kRooms + 1)) {}

  void Generate(World& world, Rng& rng) const override {
    const int width = world.width;
    const int height = world.height;
    const int left = width / 2 - 2;
    const int right = width / 2 + 2;
    const Point extent{left + 1, height / 3 + 1};
    std::array<Point, kRooms> tops;
    std::array<Point, kRooms> doors;
    world.Clear();
    world.WallRectangle(0, 0, width, height);
    world.VerticalWall(left, 0, height);
    world.VerticalWall(right, 0, height);
    for (std::size_t n = 0; n < kRooms; n += 2) {
      const int y = static_cast<int>(n / 2) * (height / 3);
      world.HorizontalWall(0, y, left);
      world.HorizontalWall(right, y, width - right);
      tops[n] = {0, y};
      doors[n] = {left, y + 3};
      tops[n + 1] = {right, y};
      doors[n + 1] = {right, y + 3};
    }
    const auto inside = [&](std::size_t room) {
      const Point top = tops[room];
      const int x = World::RandInt(rng, top.x + 1, top.x + extent.x - 1);
      return Point{x, World::RandInt(rng, top.y + 1, top.y + extent.y - 1)};
    };
    const auto locked = static_cast<std::size_t>(World::RandInt(rng, 0, kRooms));
    world.Set(inside(locked), kGoalId);
    std::array<Color, kNumColors> colors = kColorsByName;
    std::array<Color, kRooms> room_colors;
    for (std::size_t n = 0; n < kRooms; ++n) {
      const auto rest = std::span(colors).first(kNumColors - n);
      const auto drawn =
          static_cast<std::size_t>(World::RandInt(rng, 0, static_cast<int>(rest.size())));
      room_colors[n] = rest[drawn];
      std::copy(rest.begin() + static_cast<std::ptrdiff_t>(drawn) + 1, rest.end(),
                rest.begin() + static_cast<std::ptrdiff_t>(drawn));
      world.Set(doors[n], world.NewDoor(room_colors[n], n == locked));
    }
    std::size_t key_room = 0;
    do {
      key_room = static_cast<std::size_t>(World::RandInt(rng, 0, kRooms));
    } while (key_room == locked);
    world.Set(inside(key_room), world.New(Type::kKey, room_colors[locked]));
    world.PlaceAgent(rng, {left, 0}, {right - left, height});
    const std::string_view color = NameOf(room_colors[locked]);
    world.SetMission({"get the ", color, " key from the ", NameOf(room_colors[key_room]),
                      " room, unlock the ", color, " door and go to the goal"});
  }

 private:
  static constexpr int kRooms = 6;
};

class Playground : public Level {
 public:
  static ParamSchema Options() {
    return {
        IntOption("max_steps", 100, "Steps after which the environment truncates an episode.", 1),
        SeeThroughWallsOption()};
  }
  explicit Playground(const ParamValues& options)
      : Level({.size = {.width = kSize, .height = kSize, .max_objects = kThingsInAll + 12},
               .max_steps = MaxSteps(options, 100),
               .see_through_walls = options.Get<bool>("see_through_walls")}) {}

  void Generate(World& world, Rng& rng) const override {
    constexpr int kRoom = kSize / 3;
    world.Clear();
    world.WallRectangle(0, 0, kSize, kSize);
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        const Point top{i * kRoom, j * kRoom};
        if (i < 2) {
          world.VerticalWall(top.x + kRoom, top.y, kRoom);
          const int y = World::RandInt(rng, top.y + 1, top.y + kRoom - 1);
          world.Set({top.x + kRoom, y}, world.NewDoor(World::RandColor(rng)));
        }
        if (j < 2) {
          world.HorizontalWall(top.x, top.y + kRoom, kRoom);
          const int x = World::RandInt(rng, top.x + 1, top.x + kRoom - 1);
          world.Set({x, top.y + kRoom}, world.NewDoor(World::RandColor(rng)));
        }
      }
    }
    world.PlaceAgent(rng);
    for (int i = 0; i < kThingsInAll; ++i) {
      const Type type = World::RandElement(rng, kThings);
      const Color color = World::RandColor(rng);
      world.PlaceAnywhere(rng, world.New(type, color));
    }
    world.ClearMission();
  }

 private:
  static constexpr int kSize = 19;
  static constexpr int kThingsInAll = 12;
};

class RedBlueDoors : public Level {
 public:
  static ParamSchema Options() {
    return {
        IntOption("size", 8, "Rows of the grid; it has twice as many columns.", 4, kMaxSide / 2),
        MaxStepsOption(), SeeThroughWallsOption()};
  }
  explicit RedBlueDoors(const ParamValues& options)
      : Level({.size = {.width = 2 * GetInt(options, "size"),
                        .height = GetInt(options, "size"),
                        .max_objects = 2},
               .max_steps = MaxSteps(options, 20 * Area(options)),
               .see_through_walls = options.Get<bool>("see_through_walls")}) {}

  void Generate(World& world, Rng& rng) const override {
    const int size = world.height;
    world.Clear();
    world.WallRectangle(0, 0, 2 * size, size);
    world.WallRectangle(size / 2, 0, size, size);
    world.PlaceAgent(rng, {size / 2, 0}, {size, size});
    world.target = world.NewDoor(Color::kRed);
    world.Set({size / 2, World::RandInt(rng, 1, size - 1)}, world.target);
    world.other = world.NewDoor(Color::kBlue);
    world.Set({size / 2 + size - 1, World::RandInt(rng, 1, size - 1)}, world.other);
    world.SetMission({"open the red door then the blue door"});
  }

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    const auto is_open = [&](ObjectId door) { return world.objects[door].state == kDoorOpen; };
    const bool red_before = is_open(world.target);
    const bool blue_before = is_open(world.other);
    StepResult result = world.Act(action);
    if (is_open(world.other)) {
      result.reward = red_before ? world.Reward() : 0.0;
      result.terminated = true;
    } else if (is_open(world.target) && blue_before) {
      result.reward = 0.0;
      result.terminated = true;
    }
    return result;
  }
};

constexpr LevelKind kKinds[] = {
    KindOf<Memory>("Memory"),
    KindOf<LockedRoom>("LockedRoom"),
    KindOf<Playground>("Playground"),
    KindOf<RedBlueDoors>("RedBlueDoors"),
};

}  // namespace
}  // namespace planned_levels

std::span<const LevelKind> PlannedLevels() { return planned_levels::kKinds; }

}  // namespace engine::minigrid
