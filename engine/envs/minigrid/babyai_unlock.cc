// BabyAI's levels with locked doors, as in MiniGrid 3.2.0 (babyai/unlock.py, and KeyCorridor of
// babyai/other.py).
#include <algorithm>
#include <array>
#include <string>

#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {
namespace unlock_levels {
namespace {

constexpr int kLockedRoomSize = 6;  // in levels without the option "room_size"
constexpr std::int64_t kLockedRoomArea = kLockedRoomSize * kLockedRoomSize;
constexpr RoomPlan kRowOfTwo = {.size = kLockedRoomSize, .rows = 1, .columns = 2};
constexpr RoomPlan kRowOfThree = {.size = kLockedRoomSize, .rows = 1, .columns = 3};

class UnlockAny final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), RowsOption(), ColumnsOption(), MaxStepsOption()};
  }
  explicit UnlockAny(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), 1 + kDistractors * ReadPlan(options).num_rooms()) {
    RequireOption(plan_.num_rooms() > 1, "num_rows", "at least two rooms", "one");
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    const int i = rooms.RandInt(0, plan_.columns);
    const int j = rooms.RandInt(0, plan_.rows);
    const ObjectId door = rooms.AddDoor(i, j, {}, {}, true);
    const Color locked = rooms.ObjectOf(door).color;
    // The key may be in any room, also in the locked one, as in GoToImpUnlock.
    const int key_i = rooms.RandInt(0, plan_.columns);
    const int key_j = rooms.RandInt(0, plan_.rows);
    rooms.AddObject(key_i, key_j, Type::kKey, locked);
    if (rooms.RandBool()) {
      // No other door has the colour of the locked door.
      std::array<Color, kNumColors> colors = kColorsByName;
      const auto end = std::remove(colors.begin(), colors.end(), locked);
      rooms.ConnectAll(std::span<const Color>(colors.begin(), end));
    } else {
      rooms.ConnectAll();
    }
    for (int column = 0; column < plan_.columns; ++column) {
      for (int row = 0; row < plan_.rows; ++row) {
        rooms.AddDistractors(column, row, kDistractors, false);
      }
    }
    rooms.PlaceAgentOutside(plan_.Index(i, j));
    if (rooms.failed() || !rooms.ObjectsAreReachable()) return rooms.Fail();
    SetInstruction(rooms, OpenIt(DescriptionOf(rooms, door)));
  }

 private:
  static constexpr int kDistractors = 3;
};

class UnlockLocal final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {BoolOption("distractors", false, "Whether there are other objects."), RoomSizeOption(8),
            RowsOption(3, 2), ColumnsOption(3, 2), MaxStepsOption()};
  }
  explicit UnlockLocal(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), 1 + kDistractors),
        distractors_(options.Get<bool>("distractors")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId door = rooms.AddDoor(1, 1, {}, {}, true);
    rooms.AddObject(1, 1, Type::kKey, rooms.ObjectOf(door).color);
    if (distractors_) rooms.AddDistractors(1, 1, kDistractors, true);
    rooms.PlaceAgent(1, 1);
    SetInstruction(rooms, OpenIt({.type = Type::kDoor}));
  }

 private:
  static constexpr int kDistractors = 3;

  bool distractors_;
};

class KeyInBox final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), RowsOption(3, 2), ColumnsOption(3, 2), MaxStepsOption()};
  }
  explicit KeyInBox(const ParamValues& options) : BabyAILevel(options, ReadPlan(options), 2) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    World& world = rooms.world();
    const ObjectId door = rooms.AddDoor(1, 1, {}, {}, true);
    const ObjectId key = world.New(Type::kKey, rooms.ObjectOf(door).color);
    const ObjectId box = world.New(Type::kBox, rooms.RandColor());
    world.objects[box].contents = key;
    rooms.PlaceInRoom(1, 1, box);
    rooms.PlaceAgent(1, 1);
    SetInstruction(rooms, OpenIt({.type = Type::kDoor}));
  }
};

class UnlockBox final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {BoolOption("distractors", false, "Whether there are other objects."), MaxStepsOption()};
  }
  explicit UnlockBox(const ParamValues& options)
      : BabyAILevel(options, kRowOfTwo, 2 + kDistractors),
        distractors_(options.Get<bool>("distractors")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId box = rooms.AddObject(1, 0, Type::kBox);
    const ObjectId door = rooms.AddDoor(0, 0, kRightSide, {}, true);
    rooms.AddObject(0, 0, Type::kKey, rooms.ObjectOf(door).color);
    if (distractors_) rooms.AddDistractors(kDistractors, true);
    rooms.PlaceAgent(0, 0);
    SetInstruction(rooms, PickUp(DescriptionOf(rooms, box)));
  }

 private:
  static constexpr int kDistractors = 4;

  bool distractors_;
};

class BlockedUnlockBox final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {MaxStepsOption()}; }
  explicit BlockedUnlockBox(const ParamValues& options)
      : BabyAILevel(options, kRowOfTwo, 3, 16 * kLockedRoomArea) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.AddObject(1, 0, Type::kBox);
    const ObjectId door = rooms.AddDoor(0, 0, kRightSide, {}, true);
    const Color color = rooms.RandColor();
    if (rooms.failed()) return;
    const Point before = rooms.ObjectOf(door).position() - Point{1, 0};
    rooms.world().Set(before, rooms.world().New(Type::kBall, color));
    rooms.AddObject(0, 0, Type::kKey, rooms.ObjectOf(door).color);
    rooms.PlaceAgent(0, 0);
    SetInstruction(rooms, PickUp({.type = Type::kBox}));
  }
};

class UnlockToUnlock final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {MaxStepsOption()}; }
  explicit UnlockToUnlock(const ParamValues& options)
      : BabyAILevel(options, kRowOfThree, 3, 30 * kLockedRoomArea) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    std::array<Color, kNumColors> colors = kColorsByName;
    rooms.RandSubset(std::span<Color>(colors), 2);
    rooms.AddDoor(0, 0, kRightSide, colors[0], true);
    rooms.AddObject(2, 0, Type::kKey, colors[0]);
    rooms.AddDoor(1, 0, kRightSide, colors[1], true);
    rooms.AddObject(1, 0, Type::kKey, colors[1]);
    rooms.AddObject(0, 0, Type::kBall);
    rooms.PlaceAgent(1, 0);
    SetInstruction(rooms, PickUp({.type = Type::kBall}));
  }
};

class CorridorOfKeys final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RowsOption(), ColumnsOption(3, 3),
            ChoiceOption("obj_type", "ball", "What has to be picked up.", {"ball", "box", "key"}),
            RoomSizeOption(6, 3), MaxStepsOption()};
  }
  explicit CorridorOfKeys(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), 2,
                    std::int64_t{30} * GetInt(options, "room_size") * GetInt(options, "room_size")),
        type_(options.Get<std::string>("obj_type") == "ball"  ? Type::kBall
              : options.Get<std::string>("obj_type") == "box" ? Type::kBox
                                                              : Type::kKey) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    for (int j = 1; j < plan_.rows; ++j) rooms.RemoveWall(1, j, kUpSide);
    const int room = rooms.RandInt(0, plan_.rows);
    const ObjectId door = rooms.AddDoor(2, room, kLeftSide, {}, true);
    rooms.AddObject(2, room, type_);
    rooms.AddObject(0, rooms.RandInt(0, plan_.rows), Type::kKey, rooms.ObjectOf(door).color);
    rooms.PlaceAgent(1, plan_.rows / 2);
    rooms.ConnectAll();
    SetInstruction(rooms, PickUp({.type = type_}));
  }

 private:
  Type type_;
};

constexpr LevelKind kUnlockLevels[] = {
    KindOf<UnlockAny>("BabyAI/Unlock"),
    KindOf<UnlockLocal>("BabyAI/UnlockLocal"),
    KindOf<KeyInBox>("BabyAI/KeyInBox"),
    KindOf<UnlockBox>("BabyAI/UnlockPickup"),
    KindOf<BlockedUnlockBox>("BabyAI/BlockedUnlockPickup"),
    KindOf<UnlockToUnlock>("BabyAI/UnlockToUnlock"),
    KindOf<CorridorOfKeys>("BabyAI/KeyCorridor"),
};

}  // namespace
}  // namespace unlock_levels

std::span<const LevelKind> UnlockLevels() { return unlock_levels::kUnlockLevels; }

}  // namespace engine::minigrid
