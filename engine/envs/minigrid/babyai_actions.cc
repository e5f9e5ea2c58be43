// BabyAI's levels in which the agent picks objects up or puts them next to others, as in MiniGrid
// 3.2.0 (babyai/pickup.py, babyai/putnext.py and most of babyai/other.py).
#include <array>
#include <optional>
#include <string>

#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {
namespace action_levels {
namespace {

constexpr PlanOf kOneRoom = {.size = {}, .rows = 1, .columns = 1};
constexpr PlanOf kTwoRooms = {.size = {}, .rows = 1, .columns = 2};
constexpr PlanOf SizeIs(int size) { return {.size = size, .rows = {}, .columns = {}}; }

ParamSchema AllRoomOptions() {
  return {RoomSizeOption(8), RowsOption(), ColumnsOption(), MaxStepsOption()};
}

std::int64_t StepsOf(const ParamValues& options, std::int64_t per_cell) {
  return per_cell * GetInt(options, "room_size") * GetInt(options, "room_size");
}

class ActionObjDoor final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {RowsOption(3, 3), ColumnsOption(3, 3), MaxStepsOption()}; }
  explicit ActionObjDoor(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, SizeIs(7)), kDistractors) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId first = rooms.AddDistractors(1, 1, kDistractors, true);
    for (int i = 0; i < kDoors; ++i) rooms.AddDoor(1, 1, {}, {}, false);
    rooms.PlaceAgent(1, 1);
    const Description object =
        DescriptionOf(rooms, RandObject(rooms, first, kDistractors + kDoors));
    const bool go = rooms.RandBool();
    if (rooms.failed()) return;
    SetInstruction(rooms, go                           ? GoTo(object)
                          : object.type == Type::kDoor ? OpenIt(object)
                                                       : PickUp(object));
  }

 private:
  static constexpr int kDistractors = 5;
  static constexpr int kDoors = 4;
};

class FindObj final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(5), RowsOption(3, 2), ColumnsOption(3, 2), MaxStepsOption()};
  }
  explicit FindObj(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), 1, StepsOf(options, 20)) {
    // The reference confuses rows and columns in its draws, so only square plans are valid.
    RequireOption(plan_.rows == plan_.columns, "num_rows",
                  "as many as columns, " + std::to_string(plan_.columns),
                  std::to_string(plan_.rows));
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    const int i = rooms.RandInt(0, plan_.rows);
    const int j = rooms.RandInt(0, plan_.columns);
    const ObjectId object = rooms.AddObject(i, j);
    rooms.PlaceAgent(1, 1);
    rooms.ConnectAll();
    SetInstruction(rooms, PickUp({.type = rooms.ObjectOf(object).type}));
  }
};

class OneRoom final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {RoomSizeOption(8), MaxStepsOption()}; }
  explicit OneRoom(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kOneRoom), 1) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.AddObject(0, 0, Type::kBall);
    rooms.PlaceAgent();
    SetInstruction(rooms, PickUp({.type = Type::kBall}));
  }
};

class Pickup final : public BabyAILevel {
 public:
  static ParamSchema Options() { return AllRoomOptions(); }
  explicit Pickup(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), kDistractors) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    rooms.ConnectAll();
    const ObjectId first = rooms.AddDistractors(kDistractors, false);
    if (rooms.failed() || !rooms.ObjectsAreReachable()) return rooms.Fail();
    SetInstruction(rooms, PickUp(DescriptionOf(rooms, RandObject(rooms, first, kDistractors))));
  }

 private:
  static constexpr int kDistractors = 18;
};

class UnblockPickup final : public BabyAILevel {
 public:
  static ParamSchema Options() { return AllRoomOptions(); }
  explicit UnblockPickup(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), kDistractors) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    rooms.ConnectAll();
    const ObjectId first = rooms.AddDistractors(kDistractors, false);
    if (rooms.failed() || rooms.ObjectsAreReachable()) return rooms.Fail();
    SetInstruction(rooms, PickUp(DescriptionOf(rooms, RandObject(rooms, first, kDistractors))));
  }

 private:
  static constexpr int kDistractors = 20;
};

class PickupDist final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {BoolOption("debug", false, "Whether picking up another object ends the episode."),
            MaxStepsOption()};
  }
  explicit PickupDist(const ParamValues& options)
      : BabyAILevel(options, {.size = 7, .rows = 1, .columns = 1}, kDistractors),
        strict_(options.Get<bool>("debug")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId first = rooms.AddDistractors(kDistractors, true);
    rooms.PlaceAgent(0, 0);
    Description object = DescriptionOf(rooms, RandObject(rooms, first, kDistractors));
    const int select_by = rooms.RandInt(0, 3);
    if (select_by == 0) object.color.reset();
    if (select_by == 1) object.type.reset();
    SetInstruction(rooms, PickUp(object, strict_));
  }

 private:
  static constexpr int kDistractors = 5;

  bool strict_;
};

class PickupAbove final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {RowsOption(3, 2), ColumnsOption(3, 2), MaxStepsOption()}; }
  explicit PickupAbove(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, SizeIs(6)), 1, 8 * 6 * 6) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId object = rooms.AddObject(1, 0);
    rooms.AddDoor(1, 1, kUpSide, {}, false);
    rooms.PlaceAgent(1, 1);
    rooms.ConnectAll();
    SetInstruction(rooms, PickUp(DescriptionOf(rooms, object)));
  }
};

class PutNextLocal final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), IntOption("num_objs", 8, "Objects, which all differ.", 2, 18),
            MaxStepsOption()};
  }
  explicit PutNextLocal(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kOneRoom), GetInt(options, "num_objs")),
        objects_(GetInt(options, "num_objs")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    const ObjectId first = rooms.AddDistractors(objects_, true);
    if (rooms.failed() || !rooms.ObjectsAreReachable()) return rooms.Fail();
    const auto [moved, fixed] = RandTwo(rooms, first, objects_);
    SetInstruction(rooms, PutNextTo(DescriptionOf(rooms, moved), DescriptionOf(rooms, fixed)));
  }

 private:
  int objects_;
};

ParamSpec ObjectsPerRoomOption(std::int64_t count, double low) {
  return IntOption("objs_per_room", count, "Objects in each of the two rooms.", low, 9);
}

class PutNext final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(4), ObjectsPerRoomOption(1, 1),
            BoolOption("start_carrying", false,
                       "Whether the agent carries the object to move at the start."),
            MaxStepsOption()};
  }
  explicit PutNext(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kTwoRooms), 2 * GetInt(options, "objs_per_room"),
                    StepsOf(options, 8)),
        objects_(GetInt(options, "objs_per_room")),
        start_carrying_(options.Get<bool>("start_carrying")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent(0, 0);
    const ObjectId left = rooms.AddDistractors(0, 0, objects_, true);
    const ObjectId right = rooms.AddDistractors(1, 0, objects_, true);
    rooms.RemoveWall(0, 0, kRightSide);
    ObjectId moved = RandObject(rooms, left, objects_);
    ObjectId fixed = RandObject(rooms, right, objects_);
    if (rooms.RandBool()) std::swap(moved, fixed);
    rooms.world().target = moved;
    SetInstruction(rooms, PutNextTo(DescriptionOf(rooms, moved), DescriptionOf(rooms, fixed)));
  }

  void Start(World& world) const override {
    if (!start_carrying_) return;
    // The object keeps its position, as in the reference.
    world.Set(world.objects[world.target].position(), kNothing);
    world.carrying = world.just_taken = world.target;
    world.places_are_noted = false;
  }

 private:
  int objects_;
  bool start_carrying_;
};

class MoveTwoAcross final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(5), ObjectsPerRoomOption(2, 2), MaxStepsOption()};
  }
  explicit MoveTwoAcross(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kTwoRooms), 2 * GetInt(options, "objs_per_room"),
                    StepsOf(options, 16)),
        objects_(GetInt(options, "objs_per_room")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent(0, 0);
    const ObjectId left = rooms.AddDistractors(0, 0, objects_, true);
    const ObjectId right = rooms.AddDistractors(1, 0, objects_, true);
    rooms.RemoveWall(0, 0, kRightSide);
    const auto [a, d] = RandTwo(rooms, left, objects_);
    const auto [b, c] = RandTwo(rooms, right, objects_);
    if (rooms.failed()) return;
    SetInstructions(rooms, Instructions::Order::kBefore,
                    PutNextTo(DescriptionOf(rooms, a), DescriptionOf(rooms, b)),
                    PutNextTo(DescriptionOf(rooms, c), DescriptionOf(rooms, d)));
  }

 private:
  int objects_;
};

constexpr LevelKind kKinds[] = {
    KindOf<ActionObjDoor>("BabyAI/ActionObjDoor"),
    KindOf<FindObj>("BabyAI/FindObjS5"),
    KindOf<OneRoom>("BabyAI/OneRoomS8"),
    KindOf<Pickup>("BabyAI/Pickup"),
    KindOf<UnblockPickup>("BabyAI/UnblockPickup"),
    KindOf<PickupDist>("BabyAI/PickupDist"),
    KindOf<PickupAbove>("BabyAI/PickupAbove"),
    KindOf<PutNextLocal>("BabyAI/PutNextLocal"),
    KindOf<PutNext>("BabyAI/PutNext"),
    KindOf<MoveTwoAcross>("BabyAI/MoveTwoAcross"),
};

}  // namespace
}  // namespace action_levels

std::span<const LevelKind> ActionLevels() { return action_levels::kKinds; }

}  // namespace engine::minigrid
