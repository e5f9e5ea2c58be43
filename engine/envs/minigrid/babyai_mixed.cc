// BabyAI's levels with missions of all kinds, as in MiniGrid 3.2.0 (babyai/core/levelgen.py,
// babyai/synth.py, GoToSeq and PickupLoc).
#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {
namespace mixed_levels {
namespace {

using Names = std::vector<std::string>;

// The rules by which a mission is drawn.
struct MissionRules {
  int distractors = 18;
  double locked_room_prob = 0.5;
  bool locations = true;
  bool unblocking = true;
  bool implicit_unlock = true;
  std::vector<Instruction::Kind> actions;
  // The form of a mission: one action, two actions joined by "and", or two clauses in order.
  enum class Form : std::uint8_t { kAction, kAnd, kSequence };
  std::vector<Form> forms;
};

// The default of each option of LevelGen. If `options` does not name an option, its value is fixed.
struct MissionDefaults {
  int room_size = 8;
  int rows = 3;
  int columns = 3;
  int distractors = 18;
  double locked_room_prob = 0.5;
  bool locations = true;
  bool unblocking = true;
  bool implicit_unlock = true;
  // Names, separated by spaces.
  std::string_view actions = "goto pickup open putnext";
  std::string_view forms = "action and seq";
  std::string_view options = "";

  bool Has(std::string_view option) const;
};

Names Split(std::string_view names) {
  Names all;
  std::istringstream words{std::string(names)};
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

bool MissionDefaults::Has(std::string_view option) const {
  const Names all = Split(options);
  return std::find(all.begin(), all.end(), option) != all.end();
}

template <class T, std::size_t n>
std::vector<T> ReadNames(const Names& names, const std::string& option,
                         const std::array<std::pair<std::string_view, T>, n>& known) {
  std::vector<T> values;
  for (const std::string& name : names) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& item) { return item.first == name; });
    std::string all;
    for (const auto& item : known) all += (all.empty() ? "" : ", ") + std::string(item.first);
    RequireOption(found != known.end(), option, "names of " + all, "\"" + name + "\"");
    values.push_back(found->second);
  }
  RequireOption(!values.empty(), option, "at least one name", "none");
  return values;
}

MissionRules ReadRules(const ParamValues& options, const MissionDefaults& defaults) {
  using Kind = Instruction::Kind;
  using Form = MissionRules::Form;
  static constexpr std::array<std::pair<std::string_view, Kind>, 4> kActions = {
      {{"goto", Kind::kGoTo},
       {"pickup", Kind::kPickUp},
       {"open", Kind::kOpen},
       {"putnext", Kind::kPutNext}}};
  static constexpr std::array<std::pair<std::string_view, Form>, 3> kForms = {
      {{"action", Form::kAction}, {"and", Form::kAnd}, {"seq", Form::kSequence}}};
  const auto flag = [&](const char* name, bool fixed) {
    return defaults.Has(name) ? options.Get<bool>(name) : fixed;
  };
  const auto names = [&](const char* name, std::string_view fixed) {
    return defaults.Has(name) ? options.Get<Names>(name) : Split(fixed);
  };
  return {.distractors =
              defaults.Has("num_dists") ? GetInt(options, "num_dists") : defaults.distractors,
          .locked_room_prob = defaults.Has("locked_room_prob")
                                  ? options.Get<double>("locked_room_prob")
                                  : defaults.locked_room_prob,
          .locations = flag("locations", defaults.locations),
          .unblocking = flag("unblocking", defaults.unblocking),
          .implicit_unlock = flag("implicit_unlock", defaults.implicit_unlock),
          .actions = ReadNames(names("action_kinds", defaults.actions), "action_kinds", kActions),
          .forms = ReadNames(names("instr_kinds", defaults.forms), "instr_kinds", kForms)};
}

RoomPlan MissionPlan(const ParamValues& options, const MissionDefaults& defaults) {
  const auto read = [&](const char* name, int fixed) {
    return defaults.Has(name) ? GetInt(options, name) : fixed;
  };
  return {.size = read("room_size", defaults.room_size),
          .rows = read("num_rows", defaults.rows),
          .columns = read("num_cols", defaults.columns)};
}

ParamSchema MissionOptions(const MissionDefaults& defaults) {
  ParamSchema schema;
  const auto names = [](const char* name, std::string_view value, const char* doc) {
    return ParamSpec{.name = name, .default_value = Split(value), .doc = doc};
  };
  const ParamSchema all = {
      RoomSizeOption(defaults.room_size),
      RowsOption(defaults.rows),
      ColumnsOption(defaults.columns),
      DistractorsOption(defaults.distractors, 1),
      {.name = "locked_room_prob",
       .default_value = defaults.locked_room_prob,
       .doc = "Probability that a room is locked.",
       .low = 0,
       .high = 1},
      BoolOption("locations", defaults.locations,
                 "Whether missions may say where an object is, as in \"on your left\"."),
      BoolOption("unblocking", defaults.unblocking, "Whether objects may be in the way of others."),
      BoolOption("implicit_unlock", defaults.implicit_unlock,
                 "Whether missions may be about objects in the locked room."),
      names("action_kinds", defaults.actions,
            "Actions in missions: \"goto\", \"pickup\", \"open\", \"putnext\"."),
      names("instr_kinds", defaults.forms,
            "Forms of missions: one \"action\", two joined by \"and\", or two in order, \"seq\"."),
  };
  for (const ParamSpec& option : all) {
    if (defaults.Has(option.name)) schema.push_back(option);
  }
  schema.push_back(MaxStepsOption());
  return schema;
}

class MixedLevel : public BabyAILevel {
 public:
  MixedLevel(const ParamValues& options, const MissionDefaults& defaults)
      : BabyAILevel(options, MissionPlan(options, defaults),
                    ReadRules(options, defaults).distractors + 1),
        rules_(ReadRules(options, defaults)) {
    unblocking_ = rules_.unblocking;
    RequireOption(plan_.num_rooms() > 1 || rules_.locked_room_prob == 0.0, "locked_room_prob",
                  "0 with a single room", std::to_string(rules_.locked_room_prob));
    // The text of one action has at most 75 characters. "and" adds 5, and the words between two
    // clauses add at most 11.
    constexpr std::size_t kAnd = 2 * 75 + 5;
    for (const MissionRules::Form form : rules_.forms) {
      const std::size_t length = form == MissionRules::Form::kSequence ? 2 * kAnd + 11 : kAnd;
      if (form != MissionRules::Form::kAction) {
        traits_.size.mission = std::max(traits_.size.mission, (length + 15) / 16 * 16);
      }
    }
  }

 protected:
  void Build(RoomBuilder& rooms) const override {
    int locked_room = -1;
    if (rooms.RandFloat() < rules_.locked_room_prob) locked_room = AddLockedRoom(rooms);
    rooms.ConnectAll();
    rooms.AddDistractors(rules_.distractors, false);
    rooms.PlaceAgentOutside(locked_room);
    if (rooms.failed()) return;
    if (!rules_.unblocking && !rooms.ObjectsAreReachable()) return rooms.Fail();
    rooms.world().instructions = {};
    DrawMission(rooms, locked_room);
  }

 private:
  using Form = MissionRules::Form;
  static constexpr int kTriesForObject = 100;

  // Returns the index of the room.
  int AddLockedRoom(RoomBuilder& rooms) const {
    int locked = 0;
    Color color = Color::kRed;
    for (int tries = 0;; ++tries) {
      if (tries == World::kMaxTries) World::ThrowNoLevel();
      const int i = rooms.RandInt(0, plan_.columns);
      const int j = rooms.RandInt(0, plan_.rows);
      const int side = rooms.RandInt(0, 4);
      locked = plan_.Index(i, j);
      if (!plan_.HasNeighbour(locked, side)) continue;
      color = rooms.ObjectOf(rooms.AddDoor(i, j, side, {}, true)).color;
      break;
    }
    for (;;) {
      const int i = rooms.RandInt(0, plan_.columns);
      const int j = rooms.RandInt(0, plan_.rows);
      if (plan_.Index(i, j) == locked) continue;
      rooms.AddObject(i, j, Type::kKey, color);
      return locked;
    }
  }

  template <std::size_t n>
  Description DrawObject(RoomBuilder& rooms, int locked_room,
                         const std::array<Type, n>& types) const {
    static constexpr std::array kLocations = {Location::kLeft, Location::kRight, Location::kFront,
                                              Location::kBehind};
    for (int tries = 0; tries <= kTriesForObject && !rooms.failed(); ++tries) {
      Description object;
      const int color = rooms.RandInt(0, static_cast<int>(kNumColors) + 1);
      if (color > 0) object.color = kColorsByName[static_cast<std::size_t>(color - 1)];
      object.type = rooms.RandElement(types);
      if (rules_.locations && rooms.RandBool()) object.location = rooms.RandElement(kLocations);
      const bool has_locked = !rules_.implicit_unlock && locked_room >= 0;
      const Matches matches =
          MatchObjects(rooms.world(), plan_, object, {}, has_locked ? &locked_room : nullptr);
      if (matches.count > 0 && (!has_locked || matches.any_outside)) return object;
    }
    rooms.Fail();
    return {};
  }

  Instruction DrawAction(RoomBuilder& rooms, int locked_room) const {
    static constexpr std::array kDoor = {Type::kDoor};
    static constexpr std::array kThings = {Type::kBox, Type::kBall, Type::kKey};
    static constexpr std::array kAll = {Type::kBox, Type::kBall, Type::kKey, Type::kDoor};
    const auto drawn =
        static_cast<std::size_t>(rooms.RandInt(0, static_cast<int>(rules_.actions.size())));
    switch (rules_.actions[drawn]) {
      case Instruction::Kind::kGoTo:
        return GoTo(DrawObject(rooms, locked_room, kAll));
      case Instruction::Kind::kPickUp:
        return PickUp(DrawObject(rooms, locked_room, kThings));
      case Instruction::Kind::kOpen:
        return OpenIt(DrawObject(rooms, locked_room, kDoor));
      case Instruction::Kind::kPutNext:
        break;
    }
    const Description moved = DrawObject(rooms, locked_room, kThings);
    return PutNextTo(moved, DrawObject(rooms, locked_room, kAll));
  }

  // Draws the actions of a clause. `form` is kAction or kAnd.
  void DrawClause(RoomBuilder& rooms, int locked_room, Form form, Clause& clause) const {
    // The reference draws the form of each action from a list of one element, which uses no random
    // number.
    clause.num_actions = form == Form::kAnd ? 2 : 1;
    for (int a = 0; a < clause.num_actions; ++a) {
      clause.actions[static_cast<std::size_t>(a)] = DrawAction(rooms, locked_room);
    }
  }

  void DrawMission(RoomBuilder& rooms, int locked_room) const {
    Instructions& instructions = rooms.world().instructions;
    const Form form = rules_.forms[static_cast<std::size_t>(
        rooms.RandInt(0, static_cast<int>(rules_.forms.size())))];
    if (form != Form::kSequence) {
      return DrawClause(rooms, locked_room, form, instructions.clauses[0]);
    }
    for (Clause& clause : instructions.clauses) {
      static constexpr std::array kParts = {Form::kAction, Form::kAnd};
      DrawClause(rooms, locked_room, rooms.RandElement(kParts), clause);
    }
    instructions.order =
        rooms.RandInt(0, 2) == 0 ? Instructions::Order::kBefore : Instructions::Order::kAfter;
  }

  MissionRules rules_;
};

template <const MissionDefaults& defaults>
class Mixed final : public MixedLevel {
 public:
  static ParamSchema Options() { return MissionOptions(defaults); }
  explicit Mixed(const ParamValues& options) : MixedLevel(options, defaults) {}
};

constexpr MissionDefaults kGoToSeq = {
    .locked_room_prob = 0,
    .locations = false,
    .unblocking = false,
    .actions = "goto",
    .options = "room_size num_rows num_cols num_dists implicit_unlock instr_kinds"};
constexpr MissionDefaults kPickupLoc = {.rows = 1,
                                        .columns = 1,
                                        .distractors = 8,
                                        .locked_room_prob = 0,
                                        .unblocking = false,
                                        .actions = "pickup",
                                        .forms = "action",
                                        .options = "room_size implicit_unlock"};
constexpr MissionDefaults kSynth = {
    .locations = false,
    .implicit_unlock = false,
    .forms = "action",
    .options = "room_size num_rows num_cols num_dists locked_room_prob action_kinds"};
constexpr MissionDefaults kSynthLoc = {
    .implicit_unlock = false,
    .forms = "action",
    .options = "room_size num_rows num_cols num_dists locked_room_prob action_kinds"};
constexpr MissionDefaults kSynthSeq = {
    .implicit_unlock = false,
    .options = "room_size num_rows num_cols num_dists locked_room_prob action_kinds instr_kinds"};
constexpr MissionDefaults kMiniBossLevel = {
    .room_size = 5,
    .rows = 2,
    .columns = 2,
    .distractors = 7,
    .locked_room_prob = 0.25,
    .options = "locations unblocking implicit_unlock action_kinds instr_kinds"};
constexpr MissionDefaults kBossLevel = {
    .options =
        "room_size num_rows num_cols num_dists locked_room_prob locations unblocking "
        "implicit_unlock action_kinds instr_kinds"};
constexpr MissionDefaults kBossLevelNoUnlock = {
    .locked_room_prob = 0,
    .implicit_unlock = false,
    .options =
        "room_size num_rows num_cols num_dists locations unblocking action_kinds instr_kinds"};

constexpr LevelKind kMixedLevels[] = {
    KindOf<Mixed<kGoToSeq>>("BabyAI/GoToSeq"),
    KindOf<Mixed<kPickupLoc>>("BabyAI/PickupLoc"),
    KindOf<Mixed<kSynth>>("BabyAI/Synth"),
    KindOf<Mixed<kSynthLoc>>("BabyAI/SynthLoc"),
    KindOf<Mixed<kSynthSeq>>("BabyAI/SynthSeq"),
    KindOf<Mixed<kMiniBossLevel>>("BabyAI/MiniBossLevel"),
    KindOf<Mixed<kBossLevel>>("BabyAI/BossLevel"),
    KindOf<Mixed<kBossLevelNoUnlock>>("BabyAI/BossLevelNoUnlock"),
};

}  // namespace
}  // namespace mixed_levels

std::span<const LevelKind> MixedLevels() { return mixed_levels::kMixedLevels; }

}  // namespace engine::minigrid
