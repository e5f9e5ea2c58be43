// The instructions of a BabyAI mission, as data: one clause, or two clauses in order. Each clause
// has one or two actions on described objects. The rules are those of babyai/core/verifier.py of
// MiniGrid 3.2.0. One thread at a time.
#ifndef ENGINE_ENVS_MINIGRID_INSTRUCTIONS_H_
#define ENGINE_ENVS_MINIGRID_INSTRUCTIONS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "engine/envs/minigrid/objects.h"

namespace engine::minigrid {

class World;
struct RoomPlan;

enum class Location : std::uint8_t { kAnywhere, kLeft, kRight, kFront, kBehind };

// Describes a set of objects. Without a type or a colour, all types or colours match.
struct Description {
  std::optional<Type> type = {};
  std::optional<Color> color = {};
  Location location = Location::kAnywhere;
};

struct Instruction {
  enum class Kind : std::uint8_t { kGoTo, kPickUp, kOpen, kPutNext };
  Kind kind = Kind::kGoTo;
  bool strict = false;                 // whether a wrong attempt is a failure
  std::array<Description, 2> objects;  // kPutNext: the moved and the fixed object
  ObjectId carried = kNothing;         // carried object at the latest check

  int num_objects() const { return kind == Kind::kPutNext ? 2 : 1; }
};

enum class Progress : std::uint8_t { kContinue, kSuccess, kFailure };

// One action, or two actions joined by "and".
struct Clause {
  std::array<Instruction, 2> actions;
  int num_actions = 1;
  std::array<Progress, 2> done = {};
};

struct Instructions {
  enum class Order : std::uint8_t { kSingle, kBefore, kAfter };

  Order order = Order::kSingle;
  std::array<Clause, 2> clauses;
  Progress first_done = Progress::kContinue;  // progress of the clause that comes first

  int num_clauses() const { return order == Order::kSingle ? 1 : 2; }
  // Calls visit(instruction, index of its first description) for each action.
  template <class Self, class Visit>
  static void ForEach(Self& self, const Visit& visit) {
    for (int c = 0; c < self.num_clauses(); ++c) {
      auto& clause = self.clauses[static_cast<std::size_t>(c)];
      for (int a = 0; a < clause.num_actions; ++a) {
        visit(clause.actions[static_cast<std::size_t>(a)], 4 * c + 2 * a);
      }
    }
  }
};

// The result of MatchObjects: the objects in the grid that match a description from the agent's
// current cell and direction.
struct Matches {
  int count = 0;
  bool any_outside = false;  // whether a matching object is outside of the given room
};
// Finds the objects that match `description`. If `index` is given, sets bit `index` of
// Object::described of the matching objects that have an identity, and clears it in all others.
// `room`: the index of the room for Matches::any_outside, or null.
Matches MatchObjects(World& world, const RoomPlan& plan, const Description& description,
                     std::optional<int> index, const int* room);

// Begins an episode: finds the objects of all descriptions, and notes the positions of all objects.
void BeginInstructions(World& world, const RoomPlan& plan);
// Writes the text of the mission. Finds the objects of all descriptions.
void DescribeInstructions(World& world, const RoomPlan& plan);
// Returns false if a part of the mission is already done or, with `unblocking`, if the mission
// mentions a key that a locked door needs. Finds the objects of all descriptions and notes the
// positions of all objects.
bool InstructionsAreValid(World& world, const RoomPlan& plan, bool unblocking);
// Notes the positions of all objects. Called after the agent has dropped an object.
void NotePlaces(World& world);
// Checks the instructions after a step with this action.
Progress CheckInstructions(World& world, std::int64_t action);
// Returns how many times the agent has to cross the rooms: 2 for each kPutNext, 1 for each other
// action.
int NumNavigations(const Instructions& instructions);

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_INSTRUCTIONS_H_
