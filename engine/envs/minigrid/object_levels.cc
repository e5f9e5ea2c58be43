// Levels with random objects or doors in one room, as in MiniGrid 3.2.0: Fetch, GoToDoor,
// GoToObject and PutNear.
#include <array>
#include <cstdlib>

#include "engine/envs/minigrid/level.h"

namespace engine::minigrid {
namespace object_levels {
namespace {

constexpr std::array kThings = {Type::kKey, Type::kBall, Type::kBox};

// Returns the options of levels with random objects in one room.
ParamSchema ObjectOptions(std::int64_t size, std::int64_t min_size, std::int64_t objects,
                          std::int64_t min_objects) {
  return {IntOption("size", size, kSizeDoc, static_cast<double>(min_size), kMaxSide),
          IntOption("numObjs", objects, "Objects in the room.", static_cast<double>(min_objects),
                    kMaxSide * kMaxSide),
          MaxStepsOption()};
}

int NumObjects(const ParamValues& options) {
  const int n = GetInt(options, "numObjs");
  const int inner = GetInt(options, "size") - 2;
  RequireOption(n < inner * inner, "numObjs",
                "fewer objects than the room has cells, " + std::to_string(inner * inner),
                std::to_string(n));
  return n;
}

class Fetch : public Level {
 public:
  static ParamSchema Options() { return ObjectOptions(8, 4, 3, 1); }
  explicit Fetch(const ParamValues& options)
      : Level(Square(options, 5 * Area(options), true, NumObjects(options))),
        objects_(NumObjects(options)) {}

  void Generate(World& world, Rng& rng) const override {
    static constexpr std::array kTypes = {Type::kKey, Type::kBall};
    static constexpr std::array<std::string_view, 5> kVerbs = {"get a ", "go get a ", "fetch a ",
                                                               "go fetch a ", "you must fetch a "};
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    for (int i = 0; i < objects_; ++i) {
      const Type type = World::RandElement(rng, kTypes);
      const Color color = World::RandColor(rng);
      world.PlaceAnywhere(rng, world.New(type, color));
    }
    world.PlaceAgent(rng);
    world.target = static_cast<ObjectId>(kFirstOwn + World::RandInt(rng, 0, objects_));
    const Object& target = world.objects[world.target];
    const std::string_view verb = World::RandElement(rng, kVerbs);
    world.SetMission({verb, NameOf(target.color), " ", NameOf(target.type)});
  }

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    StepResult result = world.Act(action);
    if (world.carrying != kNothing) {
      const Object& carried = world.objects[world.carrying];
      const Object& target = world.objects[world.target];
      const bool right = carried.type == target.type && carried.color == target.color;
      result.reward = right ? world.Reward() : 0.0;
      result.terminated = true;
    }
    return result;
  }

 private:
  int objects_;
};

// Whether the agent is next to a cell, but not diagonally.
bool IsBeside(const World& world, Point at) {
  const int x = std::abs(world.agent.x - at.x);
  const int y = std::abs(world.agent.y - at.y);
  return (x == 0 && y == 1) || (y == 0 && x == 1);
}

// `done` and `toggle` end the episode. `done` is rewarded if the agent is next to the target.
StepResult GoToStep(World& world, std::int64_t action) {
  StepResult result = world.Act(action);
  if (action == kToggle) result.terminated = true;
  if (action == kDone) {
    if (IsBeside(world, world.target_position)) result.reward = world.Reward();
    result.terminated = true;
  }
  return result;
}

class GoToDoor : public Level {
 public:
  static ParamSchema Options() {
    return {IntOption("size", 5, "Cells on each side of the largest room, with its walls.", 5,
                      kMaxSide),
            MaxStepsOption()};
  }
  explicit GoToDoor(const ParamValues& options)
      : Level(Square(options, 4 * Area(options), true, kDoors)) {}

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    const int width = World::RandInt(rng, 5, world.width + 1);
    const int height = World::RandInt(rng, 5, world.height + 1);
    world.WallRectangle(0, 0, width, height);
    std::array<Point, kDoors> doors;
    doors[0] = {World::RandInt(rng, 2, width - 2), 0};
    doors[1] = {World::RandInt(rng, 2, width - 2), height - 1};
    doors[2] = {0, World::RandInt(rng, 2, height - 2)};
    doors[3] = {width - 1, World::RandInt(rng, 2, height - 2)};
    std::array<Color, kDoors> colors = {};
    for (std::size_t n = 0; n < kDoors;) {
      const Color color = World::RandColor(rng);
      const auto end = colors.begin() + static_cast<std::ptrdiff_t>(n);
      if (std::find(colors.begin(), end, color) == end) colors[n++] = color;
    }
    for (std::size_t i = 0; i < kDoors; ++i) world.Set(doors[i], world.NewDoor(colors[i]));
    world.PlaceAgent(rng, {0, 0}, {width, height});
    const auto target = static_cast<std::size_t>(World::RandInt(rng, 0, kDoors));
    world.target_position = doors[target];
    world.SetMission({"go to the ", NameOf(colors[target]), " door"});
  }

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    return GoToStep(world, action);
  }

 private:
  static constexpr int kDoors = 4;
};

// Draws objects that all differ in type or colour. The id of the first one is kFirstOwn.
template <class Rejects>
void AddDifferentThings(World& world, Rng& rng, int count, const Rejects& rejects) {
  for (int n = 0; n < count;) {
    const Type type = World::RandElement(rng, kThings);
    const Color color = World::RandColor(rng);
    const bool is_there = std::any_of(
        world.objects.begin() + kFirstOwn, world.objects.end(),
        [&](const Object& object) { return object.type == type && object.color == color; });
    if (is_there) continue;
    const ObjectId id = world.New(type, color);
    world.PlaceAnywhere(rng, id, {0, 0}, {world.width, world.height}, rejects);
    ++n;
  }
}

int NumDifferentThings(const ParamValues& options) {
  constexpr int kKinds = static_cast<int>(kThings.size() * kNumColors);
  const int n = NumObjects(options);
  RequireOption(n <= kKinds, "numObjs",
                "at most " + std::to_string(kKinds) + ", because all objects differ",
                std::to_string(n));
  return n;
}

class GoToObject : public Level {
 public:
  static ParamSchema Options() { return ObjectOptions(6, 4, 2, 1); }
  explicit GoToObject(const ParamValues& options)
      : Level(Square(options, 5 * Area(options), true, NumDifferentThings(options))),
        objects_(NumDifferentThings(options)) {}

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    AddDifferentThings(world, rng, objects_, [](Point) { return false; });
    world.PlaceAgent(rng);
    const auto target = static_cast<std::size_t>(kFirstOwn + World::RandInt(rng, 0, objects_));
    const Object& object = world.objects[target];
    world.target_position = object.position();
    world.SetMission({"go to the ", NameOf(object.color), " ", NameOf(object.type)});
  }

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    return GoToStep(world, action);
  }

 private:
  int objects_;
};

class PutNear : public Level {
 public:
  static ParamSchema Options() { return ObjectOptions(6, 5, 2, 2); }
  explicit PutNear(const ParamValues& options)
      : Level(Square(options, std::int64_t{5} * GetInt(options, "size"), true,
                     NumDifferentThings(options))),
        objects_(NumDifferentThings(options)) {}

  void Generate(World& world, Rng& rng) const override {
    world.Clear();
    world.WallRectangle(0, 0, world.width, world.height);
    AddDifferentThings(world, rng, objects_, [&](Point at) {
      return std::any_of(world.objects.begin() + kFirstOwn, world.objects.end() - 1,
                         [&](const Object& object) { return IsNear(object.position(), at); });
    });
    world.PlaceAgent(rng);
    const int moved = World::RandInt(rng, 0, objects_);
    int target = 0;
    do {
      target = World::RandInt(rng, 0, objects_);
    } while (target == moved);
    world.target = static_cast<ObjectId>(kFirstOwn + moved);
    const Object& object = world.objects[world.target];
    const Object& goal = world.objects[static_cast<std::size_t>(kFirstOwn + target)];
    world.target_position = goal.position();
    world.SetMission({"put the ", NameOf(object.color), " ", NameOf(object.type), " near the ",
                      NameOf(goal.color), " ", NameOf(goal.type)});
  }

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    const ObjectId carried = world.carrying;
    StepResult result = world.Act(action);
    // All objects differ, so only the target has the type and the colour that the mission names.
    if (action == kTakeUp && world.carrying != kNothing && world.carrying != world.target) {
      result.terminated = true;
    }
    if (action == kDrop && carried != kNothing) {
      const Point front = world.front();
      if (world.At(front) == carried && IsNear(front, world.target_position)) {
        result.reward = world.Reward();
      }
      result.terminated = true;
    }
    return result;
  }

 private:
  static bool IsNear(Point a, Point b) {
    return std::abs(a.x - b.x) <= 1 && std::abs(a.y - b.y) <= 1;
  }

  int objects_;
};

constexpr LevelKind kKinds[] = {
    KindOf<Fetch>("Fetch"),
    KindOf<GoToDoor>("GoToDoor"),
    KindOf<GoToObject>("GoToObject"),
    KindOf<PutNear>("PutNear"),
};

}  // namespace
}  // namespace object_levels

std::span<const LevelKind> ObjectLevels() { return object_levels::kKinds; }

}  // namespace engine::minigrid
