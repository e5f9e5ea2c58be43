// What BabyAI's levels have in common: a grid of rooms, and a mission of instructions that is
// rejected and drawn again if it makes no sense. As RoomGridLevel of MiniGrid 3.2.0.
#ifndef ENGINE_ENVS_MINIGRID_BABYAI_H_
#define ENGINE_ENVS_MINIGRID_BABYAI_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/envs/minigrid/instructions.h"
#include "engine/envs/minigrid/level.h"

namespace engine::minigrid {

class BabyAILevel : public RoomLevel {
 public:
  // `max_steps`: the level's own; without it, as the mission needs. The option comes first.
  BabyAILevel(const ParamValues& options, RoomPlan plan, int max_objects,
              std::optional<std::int64_t> max_steps = {});

  void Generate(World& world, Rng& rng) const override;
  StepResult Step(World& world, std::int64_t action, Rng& rng) const override;

 protected:
  // Also sets world.instructions.
  void Build(RoomBuilder& rooms) const override = 0;
  // Called at the end of Generate.
  virtual void Start(World& /*world*/) const {}

  // Whether a mission may not ask for a key that a locked door needs.
  bool unblocking_ = false;

 private:
  // Levels drawn in a row before the options are taken for impossible.
  static constexpr int kMostLevels = 10'000;

  bool steps_follow_mission_;
};

// Options that most levels have.
ParamSpec RoomSizeOption(std::int64_t size, double low = 4);
ParamSpec RowsOption(std::int64_t rows = 3, double low = 1);
ParamSpec ColumnsOption(std::int64_t columns = 3, double low = 1);
ParamSpec DistractorsOption(std::int64_t count, double low = 0);
// The plan that these options give; what is not an option is given here.
struct PlanOf {
  std::optional<int> size;
  std::optional<int> rows;
  std::optional<int> columns;
};
RoomPlan ReadPlan(const ParamValues& options, const PlanOf& fixed = {});

// Instructions.
inline Description DescriptionOf(const RoomBuilder& rooms, ObjectId id) {
  return {.type = rooms.ObjectOf(id).type, .color = rooms.ObjectOf(id).color};
}
inline Instruction GoTo(Description object) {
  return {.kind = Instruction::Kind::kGoTo, .objects = {object}};
}
inline Instruction PickUp(Description object, bool strict = false) {
  return {.kind = Instruction::Kind::kPickUp, .strict = strict, .objects = {object}};
}
inline Instruction OpenIt(Description object, bool strict = false) {
  return {.kind = Instruction::Kind::kOpen, .strict = strict, .objects = {object}};
}
inline Instruction PutNextTo(Description moved, Description fixed) {
  return {.kind = Instruction::Kind::kPutNext, .objects = {moved, fixed}};
}
void SetInstruction(RoomBuilder& rooms, const Instruction& instruction);
void SetInstructions(RoomBuilder& rooms, Instructions::Order order, const Instruction& first,
                     const Instruction& second);

// A random one of objects with ids in a row.
inline ObjectId RandObject(RoomBuilder& rooms, ObjectId first, int count) {
  return static_cast<ObjectId>(first + rooms.RandInt(0, count));
}
// Two different ones, in the order in which they are drawn.
std::pair<ObjectId, ObjectId> RandTwo(RoomBuilder& rooms, ObjectId first, int count);

// The kinds of each file.
std::span<const LevelKind> GoToLevels();
std::span<const LevelKind> OpenLevels();
std::span<const LevelKind> ActionLevels();
std::span<const LevelKind> UnlockLevels();
std::span<const LevelKind> MixedLevels();

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_BABYAI_H_
