// The saved states of a World. All numbers that are used as indices are checked, because the bytes
// may have been changed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/env/state.h"
#include "engine/envs/minigrid/instructions.h"
#include "engine/envs/minigrid/objects.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 60;

// Writes an enumeration, and reads one whose values are 0 to `last`.
template <class Enum>
void PutEnum(StateWriter& state, Enum value) {
  state.Put(static_cast<std::uint8_t>(value));
}
template <class Enum>
Enum GetEnum(StateReader& state, const char* name, Enum last) {
  std::uint8_t value = 0;
  state.GetWithin(name, value, 0, static_cast<std::uint8_t>(last));
  return static_cast<Enum>(value);
}

template <class Enum>
void PutOptional(StateWriter& state, std::optional<Enum> value) {
  state.Put(value.has_value());
  PutEnum(state, value.value_or(Enum{}));
}
template <class Enum>
std::optional<Enum> GetOptional(StateReader& state, const char* name, Enum last) {
  const bool given = state.Get<bool>();
  const Enum value = GetEnum(state, name, last);
  return given ? std::optional(value) : std::nullopt;
}

void Save(StateWriter& state, const Object& object) {
  PutEnum(state, object.type);
  PutEnum(state, object.color);
  state.Put(object.state);
  state.Put(object.opaque);
  state.Put(object.contents);
  state.Put(object.described);
  state.Put(object.in_room);
  state.Put(object.x);
  state.Put(object.y);
  state.Put(object.seen_x);
  state.Put(object.seen_y);
}
void Load(StateReader& state, std::size_t num_objects, Object& object) {
  object.type = GetEnum(state, "the type of an object", Type::kLava);
  object.color = GetEnum(state, "the color of an object", Color::kGrey);
  state.GetWithin("the state of an object", object.state, 0, kNumStates - 1);
  state.Get(object.opaque);
  state.GetWithin("the content of a box", object.contents, 0,
                  static_cast<ObjectId>(num_objects - 1));
  state.Get(object.described);
  state.Get(object.in_room);
  state.Get(object.x);
  state.Get(object.y);
  state.Get(object.seen_x);
  state.Get(object.seen_y);
}

void Save(StateWriter& state, const Instruction& instruction) {
  PutEnum(state, instruction.kind);
  state.Put(instruction.strict);
  for (const Description& description : instruction.objects) {
    PutOptional(state, description.type);
    PutOptional(state, description.color);
    PutEnum(state, description.location);
  }
  state.Put(instruction.carried);
}
void Load(StateReader& state, std::size_t num_objects, Instruction& instruction) {
  instruction.kind = GetEnum(state, "the kind of an instruction", Instruction::Kind::kPutNext);
  state.Get(instruction.strict);
  for (Description& description : instruction.objects) {
    description.type = GetOptional(state, "the type in a description", Type::kAgent);
    description.color = GetOptional(state, "the color in a description", Color::kGrey);
    description.location = GetEnum(state, "the place in a description", Location::kBehind);
  }
  state.GetWithin("the object of an instruction", instruction.carried, 0,
                  static_cast<ObjectId>(num_objects - 1));
}

void Save(StateWriter& state, const Instructions& instructions) {
  PutEnum(state, instructions.order);
  for (const Clause& clause : instructions.clauses) {
    for (const Instruction& action : clause.actions) Save(state, action);
    state.Put(clause.num_actions);
    for (const Progress done : clause.done) PutEnum(state, done);
  }
  PutEnum(state, instructions.first_done);
}
void Load(StateReader& state, std::size_t num_objects, Instructions& instructions) {
  instructions.order = GetEnum(state, "the order of instructions", Instructions::Order::kAfter);
  for (Clause& clause : instructions.clauses) {
    for (Instruction& action : clause.actions) Load(state, num_objects, action);
    state.GetWithin("the number of instructions", clause.num_actions, 1, 2);
    for (Progress& done : clause.done)
      done = GetEnum(state, "the progress of an instruction", Progress::kFailure);
  }
  instructions.first_done = GetEnum(state, "the progress of a clause", Progress::kFailure);
}

bool IsInMissions(char c) { return ('a' <= c && c <= 'z') || c == ' ' || c == ','; }

}  // namespace

void World::Save(StateWriter& state) const {
  state.Put(static_cast<std::uint16_t>(objects.size()));
  for (const Object& object : std::span(objects).subspan(kFirstOwn)) {
    minigrid::Save(state, object);
  }
  state.PutAll(std::span(cells_));
  state.Put(agent);
  state.Put(direction);
  for (const ObjectId id : {carrying, target, other, just_taken}) state.Put(id);
  state.Put(step_count);
  state.Put(max_steps);
  state.Put(see_through_walls);
  state.Put(target_position);
  state.Put(other_position);
  state.Put(places_are_noted);
  minigrid::Save(state, instructions);
  state.PutText(mission());
}

void World::Load(StateReader& state) {
  std::uint16_t count = 0;
  state.GetWithin("the number of objects", count, kFirstOwn,
                  static_cast<std::uint16_t>(std::min(objects.capacity(), std::size_t{65535})));
  Clear();
  objects.resize(count);
  for (Object& object : std::span(objects).subspan(kFirstOwn)) minigrid::Load(state, count, object);
  state.GetAll(std::span(cells_));
  ExpectState(std::ranges::all_of(cells_, [&](ObjectId id) { return id < count; }),
              "the objects of the grid");
  state.Get(agent);
  ExpectState(Has(agent), "the place of the agent");
  state.GetWithin("the direction of the agent", direction, 0, 3);
  for (ObjectId* const id : {&carrying, &target, &other, &just_taken})
    state.GetWithin("an object", *id, 0, static_cast<ObjectId>(count - 1));
  ExpectState(just_taken == kNothing || Has(objects[just_taken].position()),
              "the place of the object that the agent carries");
  state.GetWithin("the number of steps", step_count, 0, kMostSteps);
  state.GetWithin("max_steps", max_steps, 1, kMostSteps);
  state.Get(see_through_walls);
  for (Point* const at : {&target_position, &other_position}) {
    state.Get(*at);
    ExpectState(*at == kNowhere || Has(*at), "a place of the mission");
  }
  state.Get(places_are_noted);
  minigrid::Load(state, count, instructions);
  const std::string_view text = state.GetTextView();
  ExpectState(text.size() <= mission_.size() && std::ranges::all_of(text, IsInMissions),
              "the mission");
  SetMission({text});
}

}  // namespace engine::minigrid
