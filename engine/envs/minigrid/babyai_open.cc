// BabyAI's levels in which the agent opens doors, as in MiniGrid 3.2.0 (babyai/open.py).
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {
namespace open_levels {
namespace {

constexpr PlanOf kSizeSix = {.size = 6, .rows = {}, .columns = {}};

class Open final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {RoomSizeOption(8), RowsOption(), ColumnsOption(), MaxStepsOption()};
  }
  explicit Open(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), kDistractors) {
    RequireOption(plan_.num_rooms() > 1, "num_rows", "at least two rooms", "one");
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.PlaceAgent();
    rooms.ConnectAll();
    rooms.AddDistractors(kDistractors, false);
    if (rooms.failed() || !rooms.ObjectsAreReachable()) return rooms.Fail();
    // Both rooms of a door list it, so the door counts twice.
    int doors = 0;
    ForEachDoor(rooms, [&](ObjectId) { ++doors; });
    const int drawn = rooms.RandInt(0, doors);
    ObjectId door = kNothing;
    ForEachDoor(rooms, [&, k = 0](ObjectId id) mutable {
      if (k++ == drawn) door = id;
    });
    SetInstruction(rooms, OpenIt(DescriptionOf(rooms, door)));
  }

 private:
  static constexpr int kDistractors = 18;

  template <class Visit>
  void ForEachDoor(RoomBuilder& rooms, Visit visit) const {
    for (int i = 0; i < plan_.columns; ++i) {
      for (int j = 0; j < plan_.rows; ++j) {
        for (const ObjectId id : rooms.RoomOf(i, j).doors) {
          if (id != Room::kNoDoor) visit(id);
        }
      }
    }
  }
};

class OpenRedDoor final : public BabyAILevel {
 public:
  static ParamSchema Options() { return {MaxStepsOption()}; }
  explicit OpenRedDoor(const ParamValues& options)
      : BabyAILevel(options, {.size = 5, .rows = 1, .columns = 2}, 0) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    rooms.AddDoor(0, 0, kRightSide, Color::kRed, false);
    rooms.PlaceAgent(0, 0);
    SetInstruction(rooms, OpenIt({.type = Type::kDoor, .color = Color::kRed}));
  }
};

class OpenDoor final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    ParamSpec select = ChoiceOption(
        "select_by", "color",
        "How the mission describes the door: by its \"color\", or by its location, \"loc\". None: "
        "random.",
        {"color", "loc"});
    select.none = NonePolicy::kDefault;
    return {BoolOption("debug", false, "Whether toggling another door ends the episode."),
            std::move(select),
            RoomSizeOption(8),
            RowsOption(3, 3),
            ColumnsOption(3, 3),
            MaxStepsOption()};
  }
  explicit OpenDoor(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options), 0), strict_(options.Get<bool>("debug")) {
    if (options.Holds<std::string>("select_by")) {
      by_color_ = options.Get<std::string>("select_by") == "color";
    }
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    static constexpr std::array kLocations = {Location::kLeft, Location::kRight, Location::kFront,
                                              Location::kBehind};
    std::array<Color, kNumColors> colors = kColorsByName;
    rooms.RandSubset(std::span<Color>(colors), 4);
    for (int side = 0; side < 4; ++side) {
      rooms.AddDoor(1, 1, side, colors[static_cast<std::size_t>(side)], false);
    }
    const bool by_color = by_color_ ? *by_color_ : rooms.RandInt(0, 2) == 0;
    Description door = {.type = Type::kDoor};
    if (by_color) {
      door.color = colors[0];
    } else {
      door.location = rooms.RandElement(kLocations);
    }
    rooms.PlaceAgent(1, 1);
    SetInstruction(rooms, OpenIt(door, strict_));
  }

 private:
  std::optional<bool> by_color_;
  bool strict_;
};

// Returns the colour that the option names, or nothing if the option is None.
std::optional<Color> ReadColor(const ParamValues& options, const std::string& name) {
  if (!options.Holds<std::string>(name)) return {};
  for (const Color color : kColorsByName) {
    if (NameOf(color) == options.Get<std::string>(name)) return color;
  }
  return {};
}

class OpenTwoDoors final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    const auto color = [](const char* name, const char* doc) {
      ParamSpec option =
          ChoiceOption(name, "red", doc, {"blue", "green", "grey", "purple", "red", "yellow"});
      option.none = NonePolicy::kDefault;
      return option;
    };
    return {color("first_color", "Colour of the door to open first. None: random."),
            color("second_color", "Colour of the door to open then. None: random."),
            BoolOption("strict", false, "Whether toggling another door at first ends the episode."),
            RowsOption(3, 2),
            ColumnsOption(3, 3),
            MaxStepsOption()};
  }
  explicit OpenTwoDoors(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kSizeSix), 0, 20 * 6 * 6),
        first_(ReadColor(options, "first_color")),
        second_(ReadColor(options, "second_color")),
        strict_(options.Get<bool>("strict")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    std::array<Color, kNumColors> colors = kColorsByName;
    rooms.RandSubset(std::span<Color>(colors), 2);
    const Color first = first_.value_or(colors[0]);
    const Color second = second_.value_or(colors[1]);
    rooms.AddDoor(1, 1, kLeftSide, first, false);
    rooms.AddDoor(1, 1, kRightSide, second, false);
    rooms.PlaceAgent(1, 1);
    SetInstructions(rooms, Instructions::Order::kBefore,
                    OpenIt({.type = Type::kDoor, .color = first}, strict_),
                    OpenIt({.type = Type::kDoor, .color = second}));
  }

 private:
  std::optional<Color> first_;
  std::optional<Color> second_;
  bool strict_;
};

class OpenDoorsOrder final : public BabyAILevel {
 public:
  static ParamSchema Options() {
    return {IntOption("num_doors", 2, "Doors of the room.", 2, 4),
            BoolOption("debug", false, "Whether toggling another door ends the episode."),
            RowsOption(3, 3), ColumnsOption(3, 3), MaxStepsOption()};
  }
  explicit OpenDoorsOrder(const ParamValues& options)
      : BabyAILevel(options, ReadPlan(options, kSizeSix), 0, 20 * 6 * 6),
        doors_(GetInt(options, "num_doors")),
        strict_(options.Get<bool>("debug")) {}

 protected:
  void Build(RoomBuilder& rooms) const override {
    std::array<Color, kNumColors> colors = kColorsByName;
    rooms.RandSubset(std::span<Color>(colors), static_cast<std::size_t>(doors_));
    ObjectId door = kNothing;
    for (int i = 0; i < doors_; ++i) {
      door = rooms.AddDoor(1, 1, {}, colors[static_cast<std::size_t>(i)], false);
    }
    rooms.PlaceAgent(1, 1);
    const auto [one, other] = RandTwo(rooms, static_cast<ObjectId>(door - doors_ + 1), doors_);
    const int mode = rooms.RandInt(0, 3);
    if (rooms.failed()) return;
    const Instruction first = OpenIt(DescriptionOf(rooms, one), strict_);
    const Instruction second = OpenIt(DescriptionOf(rooms, other), strict_);
    if (mode == 0) return SetInstruction(rooms, first);
    SetInstructions(rooms, mode == 1 ? Instructions::Order::kBefore : Instructions::Order::kAfter,
                    first, second);
  }

 private:
  int doors_;
  bool strict_;
};

constexpr LevelKind kKinds[] = {
    KindOf<Open>("BabyAI/Open"),
    KindOf<OpenRedDoor>("BabyAI/OpenRedDoor"),
    KindOf<OpenDoor>("BabyAI/OpenDoor"),
    KindOf<OpenTwoDoors>("BabyAI/OpenTwoDoors"),
    KindOf<OpenDoorsOrder>("BabyAI/OpenDoorsOrder"),
};

}  // namespace
}  // namespace open_levels

std::span<const LevelKind> OpenLevels() { return open_levels::kKinds; }

}  // namespace engine::minigrid
