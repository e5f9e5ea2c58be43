// BabyAI's levels in which the agent has to go somewhere, as in MiniGrid 3.2.0 (babyai/goto.py
// without GoToSeq).
#include <array>

#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {
namespace goto_levels {
namespace {

constexpr PlanOf kOneRoom = {.size = {}, .rows = 1, .columns = 1};

int NumDistractors(const ParamValues& options) { return GetInt(options, "num_dists"); }

// One room with a red ball.
class RedBallLevel : public BabyAILevel {
 public:
  RedBallLevel(const ParamValues& options, RoomPlan plan, int distractors, bool grey)
      : BabyAILevel(options, plan, distractors + 1), distractors_(distractors), grey_(grey) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    const ObjectId ball = rooms.AddObject(0, 0, Type::kBall, Color::kRed);
    const ObjectId first = rooms.AddDistractors(distractors_, false);
    if (rooms.failed()) return;
    for (int i = 0; grey_ && i < distractors_; ++i) {
      rooms.world().objects[static_cast<std::size_t>(first + i)].color = Color::kGrey;
    }
    if (!rooms.ObjectsAreReachable()) rooms.Fail();
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, ball)));
  }

 private:
  int distractors_;
  bool grey_;
};

template <bool grey>
class GoToRedBall final : public RedBallLevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), DistractorsOption(7), MaxStepsOption()};
  }
  explicit GoToRedBall(const ParamValues& options)
      : RedBallLevel(options, ReadPlan(options, kOneRoom), NumDistractors(options), grey) {}
};

class GoToRedBallNoDists final : public RedBallLevel {
 public:
  static ParamSchema Options() { return {MaxStepsOption()}; }
  explicit GoToRedBallNoDists(const ParamValues& options)
      : RedBallLevel(options, {.size = 8, .rows = 1, .columns = 1}, 0, false) {}
};

class GoToObj final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {RoomSizeOption(8), MaxStepsOption()}; }
  explicit GoToObj(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kOneRoom), 1) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    const ObjectId object = rooms.AddDistractors(1, true);
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, object)));
  }
};

class GoToLocal final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), DistractorsOption(8, 1), MaxStepsOption()};
  }
  explicit GoToLocal(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kOneRoom), NumDistractors(options)),
        distractors_(NumDistractors(options)) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    const ObjectId first = rooms.AddDistractors(distractors_, false);
    if (!rooms.failed() && !rooms.ObjectsAreReachable()) rooms.Fail();
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, RandObject(rooms, first, distractors_))));
  }

 private:
  int distractors_;
};

class GoToAnywhere final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8),
            RowsOption(),
            ColumnsOption(),
            DistractorsOption(18, 1),
            BoolOption("doors_open", false, "Whether all doors are open at the start."),
            MaxStepsOption()};
  }
  explicit GoToAnywhere(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), NumDistractors(options)),
        distractors_(NumDistractors(options)),
        doors_open_(options.Get<bool>("doors_open")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    rooms.ConnectAll();
    const ObjectId first = rooms.AddDistractors(distractors_, false);
    if (!rooms.failed() && !rooms.ObjectsAreReachable()) rooms.Fail();
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, RandObject(rooms, first, distractors_))));
    if (!doors_open_) return;
    for (Object& object : rooms.world().objects) {
      if (object.type != Type::kDoor) continue;
      object.state = kDoorOpen;
      object.opaque = false;
    }
  }

 private:
  int distractors_;
  bool doors_open_;
};

class GoToImpUnlock final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), RowsOption(), ColumnsOption(), MaxStepsOption()};
  }
  explicit GoToImpUnlock(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), 2 + 2 * ReadPlan(options).num_rooms()) {
    RequireOption(plan_.num_rooms() > 1, "num_rows", "at least two rooms", "one");
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    const int i = rooms.RandInt(0, plan_.columns);
    const int j = rooms.RandInt(0, plan_.rows);
    const ObjectId door = rooms.AddDoor(i, j, {}, {}, true);
    // The reference intends to exclude the locked room, but it compares objects instead of indices.
    // It therefore draws from all rooms, here and below.
    const int key_i = rooms.RandInt(0, plan_.columns);
    const int key_j = rooms.RandInt(0, plan_.rows);
    rooms.AddObject(key_i, key_j, Type::kKey, rooms.ObjectOf(door).color);
    rooms.ConnectAll();
    for (int column = 0; column < plan_.columns; ++column) {
      for (int row = 0; row < plan_.rows; ++row) rooms.AddDistractors(column, row, 2, false);
    }
    rooms.PlaceAgentOutside(plan_.Index(i, j));
    if (!rooms.failed() && !rooms.ObjectsAreReachable()) rooms.Fail();
    const ObjectId object = rooms.AddDistractors(i, j, 1, false);
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, object)));
  }
};

class GoToRedBlueBall final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), DistractorsOption(7), MaxStepsOption()};
  }
  explicit GoToRedBlueBall(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kOneRoom), NumDistractors(options) + 1),
        distractors_(NumDistractors(options)) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    static constexpr std::array kColors = {Color::kRed, Color::kBlue};
    rooms.PlaceAgent();
    rooms.AddDistractors(distractors_, false);
    for (const Object& object : rooms.world().objects) {
      if (object.type != Type::kBall) continue;
      if (object.color == Color::kRed || object.color == Color::kBlue) rooms.Fail();
    }
    const ObjectId ball = rooms.AddObject(0, 0, Type::kBall, rooms.RandElement(kColors));
    if (!rooms.failed() && !rooms.ObjectsAreReachable()) rooms.Fail();
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, ball)));
  }

 private:
  int distractors_;
};

// The following levels start in the central room, which has a door in each of its walls.
constexpr int kSides = 4;

class GoToDoor final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {RowsOption(3, 3), ColumnsOption(3, 3), MaxStepsOption()}; }
  explicit GoToDoor(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, {.size = 7, .rows = {}, .columns = {}}), 0) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    const ObjectId first = rooms.AddDoor(1, 1);
    for (int i = 1; i < kSides; ++i) rooms.AddDoor(1, 1);
    rooms.PlaceAgent(1, 1);
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, RandObject(rooms, first, kSides))));
  }
};

class GoToObjDoor final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {RowsOption(3, 3), ColumnsOption(3, 3), MaxStepsOption()}; }
  explicit GoToObjDoor(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, {.size = 8, .rows = {}, .columns = {}}),
                    kDistractors) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent(1, 1);
    const ObjectId first = rooms.AddDistractors(1, 1, kDistractors, false);
    for (int i = 0; i < kSides; ++i) rooms.AddDoor(1, 1);
    if (!rooms.failed() && !rooms.ObjectsAreReachable()) rooms.Fail();
    const ObjectId object = RandObject(rooms, first, kDistractors + kSides);
    SetInstruction(rooms, GoTo(DescriptionOf(rooms, object)));
  }

 private:
  static constexpr int kDistractors = 8;
};

constexpr LevelKind kKinds[] = {
    KindOf<GoToRedBall<true>>("BabyAI/GoToRedBallGrey"),
    KindOf<GoToRedBall<false>>("BabyAI/GoToRedBall"),
    KindOf<GoToRedBallNoDists>("BabyAI/GoToRedBallNoDists"),
    KindOf<GoToObj>("BabyAI/GoToObj"),
    KindOf<GoToLocal>("BabyAI/GoToLocal"),
    KindOf<GoToAnywhere>("BabyAI/GoTo"),
    KindOf<GoToImpUnlock>("BabyAI/GoToImpUnlock"),
    KindOf<GoToRedBlueBall>("BabyAI/GoToRedBlueBall"),
    KindOf<GoToDoor>("BabyAI/GoToDoor"),
    KindOf<GoToObjDoor>("BabyAI/GoToObjDoor"),
};

}  // namespace
}  // namespace goto_levels

std::span<const LevelKind> GoToLevels() { return goto_levels::kKinds; }

}  // namespace engine::minigrid
