#include "engine/envs/minigrid/instructions.h"

#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "engine/envs/minigrid/rooms.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {
namespace {

bool IsDescribed(const Object& object, int index) { return (object.described >> index & 1) != 0; }

bool AreNeighbours(Point a, Point b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y) == 1; }

// Whether `at` is in the agent's room and in the direction `location` from the agent.
bool LiesThere(const World& world, const RoomPlan& plan, Point at, Location location) {
  if (!plan.IsInside(plan.RoomAt(world.agent), at)) return false;
  const Point v = at - world.agent;
  const Point ahead = kDirections[static_cast<std::size_t>(world.direction)];
  const int forward = v.x * ahead.x + v.y * ahead.y;
  const int right = v.y * ahead.x - v.x * ahead.y;
  return location == Location::kLeft    ? right < 0
         : location == Location::kRight ? right > 0
         : location == Location::kFront ? forward > 0
                                        : forward < 0;
}

// Calls visit(id, position) for every cell that is not empty, including walls.
template <class Visit>
void ForEachThing(World& world, const Visit& visit) {
  const auto cells = world.cells();
  std::size_t cell = 0;
  for (int y = 0; y < world.height; ++y) {
    for (int x = 0; x < world.width; ++x) {
      const ObjectId id = cells[cell++];
      if (id != kNothing) visit(id, Point{x, y});
    }
  }
}

void FindObjects(World& world, const RoomPlan& plan) {
  Instructions::ForEach(world.instructions, [&](Instruction& instruction, int first) {
    instruction.carried = kNothing;
    for (int k = 0; k < instruction.num_objects(); ++k) {
      MatchObjects(world, plan, instruction.objects[static_cast<std::size_t>(k)], first + k,
                   nullptr);
    }
  });
}

// Whether an object that description `moved` matches is next to the noted position of an object
// that description `fixed` matches. If `only` is not kNothing, only this object counts as the first
// one.
bool IsNextTo(const World& world, int moved, int fixed, ObjectId only) {
  const auto matches = [&](const Object& object) {
    for (const Object& other : world.objects) {
      if (IsDescribed(other, fixed) && other.seen() != kNowhere &&
          AreNeighbours(object.position(), other.seen())) {
        return true;
      }
    }
    return false;
  };
  for (ObjectId id = kFirstOwn; id < world.objects.size(); ++id) {
    if (only != kNothing && id != only) continue;
    if (IsDescribed(world.objects[id], moved) && matches(world.objects[id])) return true;
  }
  return false;
}

Progress CheckAction(World& world, Instruction& instruction, int first, std::int64_t action) {
  const auto when = [](bool condition) {
    return condition ? Progress::kSuccess : Progress::kContinue;
  };
  const ObjectId carried = instruction.carried;
  switch (instruction.kind) {
    case Instruction::Kind::kGoTo: {
      const Point front = world.front();
      for (const Object& object : world.objects) {
        if (IsDescribed(object, first) && object.seen() == front) return Progress::kSuccess;
      }
      return Progress::kContinue;
    }
    case Instruction::Kind::kOpen: {
      if (action != kToggle) return Progress::kContinue;
      const Object& door = world.ObjectAt(world.front());
      if (door.type != Type::kDoor) return Progress::kContinue;
      if (IsDescribed(door, first) && door.state == kDoorOpen) return Progress::kSuccess;
      return instruction.strict ? Progress::kFailure : Progress::kContinue;
    }
    case Instruction::Kind::kPickUp: {
      instruction.carried = world.carrying;
      if (action != kTakeUp || world.carrying == kNothing) return Progress::kContinue;
      if (carried == kNothing && IsDescribed(world.objects[world.carrying], first)) {
        return Progress::kSuccess;
      }
      return instruction.strict ? Progress::kFailure : Progress::kContinue;
    }
    case Instruction::Kind::kPutNext:
      instruction.carried = world.carrying;
      if (instruction.strict && action == kTakeUp && world.carrying != kNothing) {
        return Progress::kFailure;
      }
      return when(action == kDrop && carried != kNothing &&
                  IsNextTo(world, first, first + 1, carried));
  }
  return Progress::kContinue;
}

Progress CheckClause(World& world, int c, std::int64_t action) {
  Clause& clause = world.instructions.clauses[static_cast<std::size_t>(c)];
  if (clause.num_actions == 1) return CheckAction(world, clause.actions[0], 4 * c, action);
  for (int a = 0; a < clause.num_actions; ++a) {
    const auto at = static_cast<std::size_t>(a);
    if (clause.done[at] == Progress::kSuccess) continue;
    clause.done[at] = CheckAction(world, clause.actions[at], 4 * c + 2 * a, action);
  }
  // A failed action does not end the clause. It is checked again at the next step.
  const bool both = clause.done[0] == Progress::kSuccess && clause.done[1] == Progress::kSuccess;
  return both ? Progress::kSuccess : Progress::kContinue;
}

void Append(World& world, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) world.AppendMission(part);
}

void DescribeObjects(World& world, const RoomPlan& plan, const Description& description,
                     int index) {
  const Matches matches = MatchObjects(world, plan, description, index, nullptr);
  Append(world, {matches.count > 1 ? "a " : "the "});
  if (description.color) Append(world, {NameOf(*description.color), " "});
  Append(world, {description.type ? NameOf(*description.type) : "object"});
  switch (description.location) {
    case Location::kAnywhere:
      return;
    case Location::kLeft:
      return Append(world, {" on your left"});
    case Location::kRight:
      return Append(world, {" on your right"});
    case Location::kFront:
      return Append(world, {" in front of you"});
    case Location::kBehind:
      return Append(world, {" behind you"});
  }
}

void DescribeAction(World& world, const RoomPlan& plan, const Instruction& instruction, int first) {
  static constexpr std::string_view kVerbs[] = {"go to ", "pick up ", "open ", "put "};
  Append(world, {kVerbs[static_cast<std::size_t>(instruction.kind)]});
  DescribeObjects(world, plan, instruction.objects[0], first);
  if (instruction.kind != Instruction::Kind::kPutNext) return;
  Append(world, {" next to "});
  DescribeObjects(world, plan, instruction.objects[1], first + 1);
}

// Returns the colours of all locked doors, one bit per colour.
unsigned LockedColors(const World& world) {
  unsigned colors = 0;
  for (const Object& object : world.objects) {
    if (object.type == Type::kDoor && object.state == kDoorLocked) {
      colors |= 1U << static_cast<unsigned>(object.color);
    }
  }
  return colors;
}

}  // namespace

Matches MatchObjects(World& world, const RoomPlan& plan, const Description& description,
                     std::optional<int> index, const int* room) {
  if (index) {
    const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(*index));
    for (Object& object : world.objects) {
      object.described = static_cast<std::uint8_t>(object.described & ~bit);
    }
  }
  Matches matches;
  ForEachThing(world, [&](ObjectId id, Point at) {
    Object& object = world.objects[id];
    if (description.type && object.type != *description.type) return;
    if (description.color && object.color != *description.color) return;
    if (description.location != Location::kAnywhere &&
        !LiesThere(world, plan, at, description.location)) {
      return;
    }
    ++matches.count;
    if (room != nullptr && !plan.IsInside(*room, at)) matches.any_outside = true;
    // Walls match descriptions without a type. They count, but they cannot be picked up.
    if (index && id >= kFirstOwn) {
      object.described = static_cast<std::uint8_t>(object.described | 1U << *index);
    }
  });
  return matches;
}

void NotePlaces(World& world) {
  for (Object& object : world.objects) object.seen_x = object.seen_y = -1;
  ForEachThing(world, [&](ObjectId id, Point at) {
    world.objects[id].seen_x = static_cast<std::int16_t>(at.x);
    world.objects[id].seen_y = static_cast<std::int16_t>(at.y);
  });
  world.places_are_noted = true;
}

void BeginInstructions(World& world, const RoomPlan& plan) {
  Instructions& instructions = world.instructions;
  instructions.first_done = Progress::kContinue;
  for (Clause& clause : instructions.clauses) clause.done = {};
  FindObjects(world, plan);
  NotePlaces(world);
}

void DescribeInstructions(World& world, const RoomPlan& plan) {
  const Instructions& instructions = world.instructions;
  world.ClearMission();
  Instructions::ForEach(instructions, [&](const Instruction& instruction, int first) {
    if (first == 4) {
      Append(world,
             {instructions.order == Instructions::Order::kBefore ? ", then " : " after you "});
    } else if (first != 0) {
      Append(world, {" and "});
    }
    DescribeAction(world, plan, instruction, first);
  });
}

bool InstructionsAreValid(World& world, const RoomPlan& plan, bool unblocking) {
  FindObjects(world, plan);
  NotePlaces(world);
  const unsigned locked = unblocking ? LockedColors(world) : 0;
  bool valid = true;
  Instructions::ForEach(world.instructions, [&](const Instruction& instruction, int first) {
    if (instruction.kind == Instruction::Kind::kPutNext) {
      for (const Object& object : world.objects) {
        if (IsDescribed(object, first) && IsDescribed(object, first + 1)) valid = false;
      }
      if (IsNextTo(world, first, first + 1, kNothing)) valid = false;
    }
    for (int k = 0; k < instruction.num_objects(); ++k) {
      const Description& object = instruction.objects[static_cast<std::size_t>(k)];
      if (object.type == Type::kKey && object.color &&
          (locked >> static_cast<unsigned>(*object.color) & 1) != 0) {
        valid = false;
      }
    }
  });
  return valid;
}

Progress CheckInstructions(World& world, std::int64_t action) {
  Instructions& instructions = world.instructions;
  if (instructions.order == Instructions::Order::kSingle) return CheckClause(world, 0, action);
  const int first = instructions.order == Instructions::Order::kBefore ? 0 : 1;
  if (instructions.first_done != Progress::kSuccess) {
    instructions.first_done = CheckClause(world, first, action);
    if (instructions.first_done != Progress::kSuccess) return instructions.first_done;
  }
  return CheckClause(world, 1 - first, action);
}

int NumNavigations(const Instructions& instructions) {
  int total = 0;
  Instructions::ForEach(instructions, [&](const Instruction& instruction, int) {
    total += instruction.kind == Instruction::Kind::kPutNext ? 2 : 1;
  });
  return total;
}

}  // namespace engine::minigrid
