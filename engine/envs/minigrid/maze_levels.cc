// Mazes, as in MiniGrid 3.2.0: Crossing, which has rivers, and MultiRoom, whose rooms are not on a
// common grid.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "engine/envs/minigrid/level.h"

namespace engine::minigrid {
namespace maze_levels {
namespace {

class Crossing : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("size", 9, std::string(kSizeDoc) + " Odd.", 3, kMaxSide),
            IntOption("num_crossings", 1, "Rivers of obstacles, as far as there is room.", 0),
            ChoiceOption("obstacle_type", "lava", kObstacleDoc, {"lava", "wall"}),
            MaxStepsOption()};
  }
  explicit Crossing(const ParamValues& options)
      : Level(Square(options, 4 * Area(options), false)),
        crossings_(static_cast<std::size_t>(GetInt(options, "num_crossings"))),
        lava_(options.Get<std::string>("obstacle_type") == "lava") {
    RequireOption(traits_.size.width % 2 == 1, "size", "an odd number",
                  std::to_string(traits_.size.width));
  }

  void Generate(World& world, Rng& rng) const override {
    const int last = world.width - 1;  // the grid is square
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    world.agent = {1, 1};
    world.direction = 0;
    world.Set({last - 1, last - 1}, kGoalId);

    std::array<River, 2 * kMaxRivers> all;
    std::size_t n = 0;
    for (const bool vertical : {true, false}) {
      for (int at = 2; at < last - 1; at += 2) all[n++] = {.vertical = vertical, .at = at};
    }
    rng.Shuffle(std::span(all.data(), n));
    n = std::min(n, crossings_);
    Limits vertical;
    Limits horizontal;
    for (std::size_t i = 0; i < n; ++i) (all[i].vertical ? vertical : horizontal).Add(all[i].at);
    vertical.Close(last);
    horizontal.Close(last);

    const ObjectId obstacle = lava_ ? kLavaId : kWallId;
    for (const int y : horizontal.rivers()) world.HorizontalWall(1, y, last - 1, obstacle);
    for (const int x : vertical.rivers()) world.VerticalWall(x, 1, last - 1, obstacle);

    // The path goes right across each vertical river, and down across each horizontal river.
    std::array<bool, 2 * kMaxRivers> right;
    std::fill_n(right.begin(), vertical.rivers().size(), true);
    std::fill_n(right.begin() + static_cast<std::ptrdiff_t>(vertical.rivers().size()),
                horizontal.rivers().size(), false);
    rng.Shuffle(std::span(right.data(), n));
    std::size_t i = 0;
    std::size_t j = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Limits& between = right[k] ? horizontal : vertical;
      const std::size_t room = right[k] ? j : i;
      const int along = between.all[room] + 1 +
                        static_cast<int>(rng.Choice(between.all[room + 1] - between.all[room] - 1));
      world.Set(right[k] ? Point{vertical.all[++i], along} : Point{along, horizontal.all[++j]},
                kNothing);
    }
    world.SetMission({CrossingMission(lava_)});
  }

 private:
  static constexpr std::size_t kMaxRivers = static_cast<std::size_t>(kMaxSide) / 2;
  struct River {
    bool vertical = false;
    int at = 0;
  };
  // The sorted positions of the rivers of one direction, and of the outer walls before and after
  // them.
  struct Limits {
    std::array<int, kMaxRivers + 2> all = {};
    std::size_t n = 1;

    void Add(int at) { all[n++] = at; }
    void Close(int last) {
      std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
      all[n] = last;
    }
    std::span<const int> rivers() const { return std::span(all).subspan(1, n - 1); }
  };

  std::size_t crossings_;
  bool lava_;
};

class MultiRoom : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("minNumRooms", 6, "Rooms, at least.", 1, kMaxRooms),
            IntOption("maxNumRooms", 6, "Rooms, at most.", 1, kMaxRooms),
            IntOption("maxRoomSize", 10, "Cells on each side of a room, with its walls, at most.",
                      4, kMaxSide),
            IntOption("width", 25, "Columns of the grid.", 6, kMaxSide),
            IntOption("height", 25, "Rows of the grid.", 6, kMaxSide),
            MaxStepsOption(),
            SeeThroughWallsOption()};
  }
  explicit MultiRoom(const ParamValues& options)
      : Level({.size = {.width = GetInt(options, "width"),
                        .height = GetInt(options, "height"),
                        .max_objects = GetInt(options, "maxNumRooms")},
               .max_steps = MaxSteps(options, std::int64_t{20} * GetInt(options, "maxNumRooms")),
               .see_through_walls = options.Get<bool>("see_through_walls")}),
        least_(GetInt(options, "minNumRooms")),
        most_(GetInt(options, "maxNumRooms")),
        largest_(GetInt(options, "maxRoomSize")) {
    RequireOption(least_ <= most_, "minNumRooms", "at most maxNumRooms, " + std::to_string(most_),
                  std::to_string(least_));
  }

  void Generate(World& world, Rng& rng) const override {
    const auto wanted = static_cast<std::size_t>(World::RandInt(rng, least_, most_ + 1));
    Path rooms;
    for (int tries = 0; rooms.size < wanted; ++tries) {
      if (tries == kTries) World::ThrowNoLevel();
      Path path;
      const int x = World::RandInt(rng, 0, world.width - 2);
      const Point door{x, World::RandInt(rng, 0, world.width - 2)};
      AddRoom(world, rng, path, wanted, kLeftSide, door);
      if (path.size > rooms.size) rooms = path;
    }
    Draw(world, rng, rooms);
    world.PlaceAgent(rng, rooms.all[0].top, rooms.all[0].extent);
    const Space& last = rooms.all[rooms.size - 1];
    world.PlaceAnywhere(rng, kGoalId, last.top, last.extent);
    world.SetMission({"traverse the rooms to get to the goal"});
  }

 private:
  static constexpr int kMaxRooms = 64;
  static constexpr int kTries = 100'000;
  struct Space {
    Point top;
    Point extent;
    Point entry;  // position of the door to the previous room
  };
  struct Path {
    std::array<Space, kMaxRooms> all;
    std::size_t size = 0;
  };

  static void Draw(World& world, Rng& rng, const Path& rooms) {
    world.Clear();
    std::array<Color, kNumColors> colors = kColorsByName;
    std::optional<Color> previous;
    for (std::size_t k = 0; k < rooms.size; ++k) {
      const Space& room = rooms.all[k];
      world.WallRectangle(room.top.x, room.top.y, room.extent.x, room.extent.y);
      if (k == 0) continue;
      std::size_t n = 0;
      for (const Color color : kColorsByName) {
        if (color != previous) colors[n++] = color;
      }
      previous = colors[static_cast<std::size_t>(World::RandInt(rng, 0, static_cast<int>(n)))];
      world.Set(room.entry, world.NewDoor(*previous));
    }
  }

  // Adds a room with an entrance `door` in its wall `entry`, and then up to `left` - 1 further
  // rooms. Returns whether the first room fits.
  bool AddRoom(const World& world, Rng& rng, Path& rooms, std::size_t left, int entry,
               Point door) const {
    const int width = World::RandInt(rng, kSmallest, largest_ + 1);
    const int height = World::RandInt(rng, kSmallest, largest_ + 1);
    Point top = door;
    if (rooms.size > 0) {
      if (entry == kRightSide) top.x -= width - 1;
      if (entry == kDownSide) top.y -= height - 1;
      if (entry == kRightSide || entry == kLeftSide) {
        top.y = World::RandInt(rng, door.y - height + 2, door.y);
      } else {
        top.x = World::RandInt(rng, door.x - width + 2, door.x);
      }
    }
    if (top.x < 0 || top.y < 0) return false;
    if (top.x + width > world.width || top.y + height >= world.height) return false;
    for (std::size_t k = 0; k + 1 < rooms.size; ++k) {
      const Space& other = rooms.all[k];
      const bool apart = top.x + width < other.top.x || other.top.x + other.extent.x <= top.x ||
                         top.y + height < other.top.y || other.top.y + other.extent.y <= top.y;
      if (!apart) return false;
    }
    rooms.all[rooms.size++] = {.top = top, .extent = {width, height}, .entry = door};
    if (left == 1) return true;
    for (int tries = 0; tries < 8; ++tries) {
      const int drawn = World::RandInt(rng, 0, 3);
      const int exit = drawn + (drawn >= entry ? 1 : 0);  // any wall except `entry`
      Point next = top;
      if (exit == kRightSide || exit == kLeftSide) {
        if (exit == kRightSide) next.x += width - 1;
        next.y += World::RandInt(rng, 1, height - 1);
      } else {
        if (exit == kDownSide) next.y += height - 1;
        next.x += World::RandInt(rng, 1, width - 1);
      }
      if (AddRoom(world, rng, rooms, left - 1, (exit + 2) % 4, next)) break;
    }
    return true;
  }

  static constexpr int kSmallest = 4;

  int least_;
  int most_;
  int largest_;
};

constexpr LevelKind kKinds[] = {
    KindOf<Crossing>("Crossing"),
    KindOf<MultiRoom>("MultiRoom"),
};

}  // namespace
}  // namespace maze_levels

std::span<const LevelKind> MazeLevels() { return maze_levels::kKinds; }

}  // namespace engine::minigrid
