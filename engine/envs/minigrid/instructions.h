// The instructions of a BabyAI mission, as data: one or two clauses in order, each of one or two
// actions on described objects. They follow babyai/core/verifier.py of MiniGrid 3.2.0. One thread
// at a time.
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

// Which objects are meant. No type or no colour: any.
struct Description {
  std::optional<Type> type = {};
  std::optional<Color> color = {};
  Location location = Location::kAnywhere;
};

struct Instruction {
  enum class Kind : std::uint8_t { kGoTo, kPickUp, kOpen, kPutNext };
  Kind kind = Kind::kGoTo;
  bool strict = false;                 // a wrong attempt fails
  std::array<Description, 2> objects;  // kPutNext: the one to move and the one that stays
  ObjectId carried = kNothing;         // after the latest step at which this was checked

  int num_objects() const { return kind == Kind::kPutNext ? 2 : 1; }
};

enum class Progress : std::uint8_t { kContinue, kSuccess, kFailure };

// Actions joined by "and".
struct Clause {
  std::array<Instruction, 2> actions;
  int num_actions = 1;
  std::array<Progress, 2> done = {};
};

struct Instructions {
  enum class Order : std::uint8_t { kSingle, kBefore, kAfter };

  Order order = Order::kSingle;
  std::array<Clause, 2> clauses;
  Progress first_done = Progress::kContinue;  // of the clause to be done first

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

// The objects in the grid that a description matches, as seen from the agent's present place.
struct Matches {
  int count = 0;
  bool any_outside = false;  // of the room given to MatchObjects
};
// If `index` is given, sets its bit in Object::described of exactly these objects. `room` may be
// null.
Matches MatchObjects(World& world, const RoomPlan& plan, const Description& description,
                     std::optional<int> index, const int* room);

// Begins the episode: finds the objects of all descriptions, and notes their places.
void BeginInstructions(World& world, const RoomPlan& plan);
// Writes the mission. Finds the objects of all descriptions.
void DescribeInstructions(World& world, const RoomPlan& plan);
// Whether the mission is valid: no part of it is already done and, with `unblocking`, it does not
// ask for a key that a locked door needs. Finds the objects of all descriptions.
bool InstructionsAreValid(World& world, const RoomPlan& plan, bool unblocking);
// Notes the places of all objects: after an object was dropped.
void NotePlaces(World& world);
// After a step.
Progress CheckInstructions(World& world, std::int64_t action);
// How often the agent has to cross the rooms.
int NumNavigations(const Instructions& instructions);

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_INSTRUCTIONS_H_
