// The common base of BabyAI's levels, after RoomGridLevel of MiniGrid 3.2.0: a grid of rooms, and a
// mission that consists of instructions. A level whose mission is not valid is rejected and drawn
// again.
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
  // `max_steps`: the limit of this level; without it, the limit follows from the mission. The
  // option "max_steps" takes precedence over both.
  BabyAILevel(const ParamValues& options, RoomPlan plan, int max_objects,
              std::optional<std::int64_t> max_steps = {});

  bool sets_max_steps() const override { return true; }
  void Generate(World& world, Rng& rng) const override;
  StepResult Step(World& world, std::int64_t action, Rng& rng) const override;

 protected:
  // Overrides also set world.instructions.
  void Build(RoomBuilder& rooms) const override = 0;
  // Generate calls this at its end.
  virtual void Start(World& /*world*/) const {}

  // Whether a mission is invalid if it mentions a key that a locked door needs.
  bool unblocking_ = false;

 private:
  // The number of rejected levels in a row after which the options are considered impossible.
  static constexpr int kMaxLevels = 10'000;

  bool steps_follow_mission_;
};

// Options of most levels.
ParamSpec RoomSizeOption(std::int64_t size, double low = 4);
ParamSpec RowsOption(std::int64_t rows = 3, double low = 1);
ParamSpec ColumnsOption(std::int64_t columns = 3, double low = 1);
ParamSpec DistractorsOption(std::int64_t count, double low = 0);
// Sizes of a plan that are not options of the level. ReadPlan reads the other sizes from the
// options.
struct PlanOf {
  std::optional<int> size;
  std::optional<int> rows;
  std::optional<int> columns;
};
RoomPlan ReadPlan(const ParamValues& options, const PlanOf& fixed = {});

// Functions that make instructions.
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

// Returns one of `count` consecutive ids, drawn at random.
inline ObjectId RandObject(RoomBuilder& rooms, ObjectId first, int count) {
  return static_cast<ObjectId>(first + rooms.RandInt(0, count));
}
// Returns two different ids of `count` consecutive ones, in the order in which they are drawn.
std::pair<ObjectId, ObjectId> RandTwo(RoomBuilder& rooms, ObjectId first, int count);

// The kinds of levels that each file defines.
std::span<const LevelKind> GoToLevels();
std::span<const LevelKind> OpenLevels();
std::span<const LevelKind> ActionLevels();
std::span<const LevelKind> UnlockLevels();
std::span<const LevelKind> MixedLevels();

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_BABYAI_H_
