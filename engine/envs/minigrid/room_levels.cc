// Levels on a grid of rooms that are not BabyAI's, as in MiniGrid 3.2.0: KeyCorridor, Unlock,
// UnlockPickup, BlockedUnlockPickup and the ObstructedMazes.
#include <array>

#include "engine/envs/minigrid/level.h"

namespace engine::minigrid {
namespace room_levels {
namespace {

constexpr int kRoomSize = 6;  // in levels without the option "room_size"

// A level in which the agent has to pick up one object.
class PickUpLevel : public RoomLevel {
 public:
  using RoomLevel::RoomLevel;

  StepResult Step(World& world, std::int64_t action, Rng&) const final {
    StepResult result = world.Act(action);
    if (action == kTakeUp && world.carrying != kNothing && world.carrying == world.target) {
      result.reward = world.Reward();
      result.terminated = true;
    }
    return result;
  }

 protected:
  static void SetTarget(RoomBuilder& rooms, ObjectId id) {
    const Object& object = rooms.ObjectOf(id);
    rooms.world().target = id;
    rooms.world().SetMission({"pick up the ", NameOf(object.color), " ", NameOf(object.type)});
  }
};

class KeyCorridor final : public PickUpLevel {
 public:
  static ParamSchema Options() {
    return {IntOption("num_rows", 3, "Rows of rooms.", 1, RoomPlan::kMaxCells),
            IntOption("num_cols", 3, "Columns of rooms.", 3, RoomPlan::kMaxCells),
            ChoiceOption("obj_type", "ball", "What has to be picked up.", {"ball", "box", "key"}),
            IntOption("room_size", 6, "Cells on each side of a room, with its walls.", 3,
                      RoomPlan::kMaxCells),
            MaxStepsOption()};
  }
  explicit KeyCorridor(const ParamValues& options)
      : PickUpLevel({.size = GetInt(options, "room_size"),
                     .rows = GetInt(options, "num_rows"),
                     .columns = GetInt(options, "num_cols")},
                    2,
                    MaxSteps(options, std::int64_t{30} * GetInt(options, "room_size") *
                                          GetInt(options, "room_size"))),
        type_(options.Get<std::string>("obj_type") == "ball"  ? Type::kBall
              : options.Get<std::string>("obj_type") == "box" ? Type::kBox
                                                              : Type::kKey) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    for (int j = 1; j < plan_.rows; ++j) rooms.RemoveWall(1, j, kUpSide);
    const int room = rooms.RandInt(0, plan_.rows);
    const ObjectId door = rooms.AddDoor(2, room, kLeftSide, {}, true);
    const ObjectId target = rooms.AddObject(2, room, type_);
    rooms.AddObject(0, rooms.RandInt(0, plan_.rows), Type::kKey, rooms.ObjectOf(door).color);
    rooms.PlaceAgent(1, plan_.rows / 2);
    rooms.ConnectAll();
    SetTarget(rooms, target);
  }

 private:
  Type type_;
};

constexpr RoomPlan kTwoRooms = {.size = kRoomSize, .rows = 1, .columns = 2};
constexpr std::int64_t kRoomArea = kRoomSize * kRoomSize;

class Unlock final : public RoomLevel {
 public:
  static ParamSchema Options() { return {MaxStepsOption()}; }
  explicit Unlock(const ParamValues& options)
      : RoomLevel(kTwoRooms, 1, MaxSteps(options, 8 * kRoomArea)) {}

  StepResult Step(World& world, std::int64_t action, Rng&) const override {
    StepResult result = world.Act(action);
    if (action == kToggle && world.objects[world.target].state == kDoorOpen) {
      result.reward = world.Reward();
      result.terminated = true;
    }
    return result;
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId door = rooms.AddDoor(0, 0, kRightSide, {}, true);
    rooms.AddObject(0, 0, Type::kKey, rooms.ObjectOf(door).color);
    rooms.PlaceAgent(0, 0);
    rooms.world().target = door;
    rooms.world().SetMission({"open the door"});
  }
};

template <bool blocked>
class UnlockPickupOrBlocked final : public PickUpLevel {
 public:
  static ParamSchema Options() { return {MaxStepsOption()}; }
  explicit UnlockPickupOrBlocked(const ParamValues& options)
      : PickUpLevel(kTwoRooms, 3, MaxSteps(options, (blocked ? 16 : 8) * kRoomArea)) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId box = rooms.AddObject(1, 0, Type::kBox);
    const ObjectId door = rooms.AddDoor(0, 0, kRightSide, {}, true);
    if constexpr (blocked) {
      const Color color = rooms.RandColor();
      const Point at = rooms.ObjectOf(door).position() - Point{1, 0};
      if (!rooms.failed()) rooms.world().Set(at, rooms.world().New(Type::kBall, color));
    }
    rooms.AddObject(0, 0, Type::kKey, rooms.ObjectOf(door).color);
    rooms.PlaceAgent(0, 0);
    SetTarget(rooms, box);
  }
};

// The target ball is blue, boxes are grey, and balls that block a door are green.
class ObstructedMaze : public PickUpLevel {
 public:
  ObstructedMaze(const ParamValues& options, int rows, int columns, int visited)
      : PickUpLevel({.size = kRoomSize, .rows = rows, .columns = columns}, kMaxThings,
                    MaxSteps(options, 4 * kRoomArea * visited)),
        key_in_box_(options.Get<bool>("key_in_box")),
        blocked_(options.Get<bool>("blocked")) {}

 protected:
  static ParamSchema ObstacleOptions(bool default_value = true) {
    return {BoolOption("key_in_box", default_value, "Whether keys are hidden in boxes."),
            BoolOption("blocked", default_value, "Whether balls block the locked doors.")};
  }

  void Build(RoomBuilder& rooms) const final {
    std::array<Color, kNumColors> colors = kColorsByName;
    rooms.RandSubset(std::span<Color>(colors), colors.size());
    BuildMaze(rooms, colors);
  }
  virtual void BuildMaze(RoomBuilder& rooms, const std::array<Color, kNumColors>& colors) const = 0;

  // Adds a locked door, and a ball in front of it if the doors are blocked.
  void AddLockedDoor(RoomBuilder& rooms, int i, int j, int side, Color color) const {
    const ObjectId door = rooms.AddDoor(i, j, side, color, true);
    if (!blocked_ || rooms.failed()) return;
    World& world = rooms.world();
    const Point before =
        world.objects[door].position() - kDirections[static_cast<std::size_t>(side)];
    world.Set(before, world.New(Type::kBall, Color::kGreen));
  }
  void AddKey(RoomBuilder& rooms, int i, int j, Color color) const {
    if (rooms.failed()) return;
    World& world = rooms.world();
    ObjectId id = world.New(Type::kKey, color);
    if (key_in_box_) {
      const ObjectId key = id;
      id = world.New(Type::kBox, Color::kGrey);
      world.objects[id].contents = key;
    }
    rooms.PlaceInRoom(i, j, id);
  }

 private:
  static constexpr int kMaxThings =
      8 * 3 + 1;  // a ball, a box and a key for each door, and the target

  bool key_in_box_;
  bool blocked_;
};

class ObstructedMazeOne final : public ObstructedMaze {
 public:
  static ParamSchema Options() {
    ParamSchema schema = ObstacleOptions();
    schema.push_back(MaxStepsOption());
    return schema;
  }
  explicit ObstructedMazeOne(const ParamValues& options) : ObstructedMaze(options, 1, 2, 2) {}

 protected:
  void BuildMaze(RoomBuilder& rooms, const std::array<Color, kNumColors>& colors) const override {
    AddLockedDoor(rooms, 0, 0, kRightSide, colors[0]);
    AddKey(rooms, 0, 0, colors[0]);
    SetTarget(rooms, rooms.AddObject(1, 0, Type::kBall, Color::kBlue));
    rooms.PlaceAgent(0, 0);
  }
};

// Version 1 places the keys after both doors of a room, so that no ball replaces a key.
template <bool keys_after_doors>
class ObstructedMazeFull final : public ObstructedMaze {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {{.name = "agent_room",
                           .default_value = std::vector<std::int64_t>{1, 1},
                           .doc = "Room [column, row] where the agent starts.",
                           .low = 0,
                           .high = 2}};
    for (ParamSpec& option : ObstacleOptions()) schema.push_back(std::move(option));
    schema.push_back(IntOption("num_quarters", 4, "Quarters of the maze that are in use.", 1, 4));
    schema.push_back(IntOption("num_rooms_visited", 25,
                               "Rooms to visit, from which \"max_steps\" is computed.", 1, 1e6));
    schema.push_back(MaxStepsOption());
    return schema;
  }
  explicit ObstructedMazeFull(const ParamValues& options)
      : ObstructedMaze(options, 3, 3, GetInt(options, "num_rooms_visited")),
        quarters_(static_cast<std::size_t>(GetInt(options, "num_quarters"))) {
    const auto& room = options.Get<std::vector<std::int64_t>>("agent_room");
    RequireOption(room.size() == 2, "agent_room", "two integers [column, row]",
                  std::to_string(room.size()) + " of them");
    agent_room_ = {static_cast<int>(room[0]), static_cast<int>(room[1])};
  }

 protected:
  void BuildMaze(RoomBuilder& rooms, const std::array<Color, kNumColors>& colors) const override {
    static constexpr std::array<Point, 4> kSides = {{{2, 1}, {1, 2}, {0, 1}, {1, 0}}};
    static constexpr std::array<Point, 4> kCorners = {{{2, 0}, {2, 2}, {0, 2}, {0, 0}}};
    for (std::size_t i = 0; i < quarters_; ++i) {
      const Point room = kSides[i];
      rooms.AddDoor(1, 1, static_cast<int>(i), colors[i], false);
      const std::array<std::size_t, 2> turns = {i + 3, i + 1};  // left, right
      const auto color = [&](std::size_t k) { return colors[(i + (k == 0 ? 5 : 1)) % 6]; };
      for (std::size_t k = 0; k < 2; ++k) {
        AddLockedDoor(rooms, room.x, room.y, static_cast<int>(turns[k] % 4), color(k));
        if (!keys_after_doors) AddKey(rooms, room.x, room.y, color(k));
      }
      for (std::size_t k = 0; keys_after_doors && k < 2; ++k) {
        AddKey(rooms, room.x, room.y, color(k));
      }
    }
    const Point corner =
        kCorners[static_cast<std::size_t>(rooms.RandInt(0, static_cast<int>(quarters_)))];
    SetTarget(rooms, rooms.AddObject(corner.x, corner.y, Type::kBall, Color::kBlue));
    rooms.PlaceAgent(agent_room_.x, agent_room_.y);
  }

 private:
  std::size_t quarters_;
  Point agent_room_;
};

constexpr LevelKind kKinds[] = {
    KindOf<KeyCorridor>("KeyCorridor"),
    KindOf<Unlock>("Unlock"),
    KindOf<UnlockPickupOrBlocked<false>>("UnlockPickup"),
    KindOf<UnlockPickupOrBlocked<true>>("BlockedUnlockPickup"),
    KindOf<ObstructedMazeOne>("ObstructedMaze1"),
    KindOf<ObstructedMazeFull<false>>("ObstructedMazeFull"),
    KindOf<ObstructedMazeFull<true>>("ObstructedMazeFullV1"),
};

}  // namespace
}  // namespace room_levels

std::span<const LevelKind> RoomLevels() { return room_levels::kKinds; }

}  // namespace engine::minigrid
