#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {

BabyAILevel::BabyAILevel(const ParamValues& options, RoomPlan plan, int max_objects,
                         std::optional<std::int64_t> max_steps)
    : RoomLevel(plan, max_objects, MaxSteps(options, max_steps.value_or(0))),
      steps_follow_mission_(traits_.max_steps == 0) {}

void BabyAILevel::Generate(World& world, Rng& rng) const {
  for (int tries = 0;; ++tries) {
    if (tries == kMaxLevels) World::ThrowNoLevel();
    RoomBuilder rooms(world, rng, plan_);
    Build(rooms);
    if (!rooms.failed() && InstructionsAreValid(world, plan_, unblocking_)) break;
  }
  DescribeInstructions(world, plan_);
  BeginInstructions(world, plan_);
  if (steps_follow_mission_) {
    world.max_steps = std::int64_t{NumNavigations(world.instructions)} * plan_.size * plan_.size *
                      plan_.num_rooms();
  }
  Start(world);
}

StepResult BabyAILevel::Step(World& world, std::int64_t action, Rng&) const {
  StepResult result = world.Act(action);
  if (action == kDrop && !world.places_are_noted) NotePlaces(world);
  switch (CheckInstructions(world, action)) {
    case Progress::kSuccess:
      result.terminated = true;
      result.reward = world.Reward();
      break;
    case Progress::kFailure:
      result.terminated = true;
      result.reward = 0.0;
      break;
    case Progress::kContinue:
      break;
  }
  return result;
}

ParamSpec RoomSizeOption(std::int64_t size, double low) {
  return IntOption("room_size", size, "Cells on each side of a room, with its walls.", low,
                   RoomPlan::kMaxCells);
}
ParamSpec RowsOption(std::int64_t rows, double low) {
  return IntOption("num_rows", rows, "Rows of rooms.", low, RoomPlan::kMaxCells);
}
ParamSpec ColumnsOption(std::int64_t columns, double low) {
  return IntOption("num_cols", columns, "Columns of rooms.", low, RoomPlan::kMaxCells);
}
ParamSpec DistractorsOption(std::int64_t count, double low) {
  return IntOption("num_dists", count, "Objects that are placed at random.", low, 1024);
}

RoomPlan ReadPlan(const ParamValues& options, const PlanOf& fixed) {
  return {.size = fixed.size ? *fixed.size : GetInt(options, "room_size"),
          .rows = fixed.rows ? *fixed.rows : GetInt(options, "num_rows"),
          .columns = fixed.columns ? *fixed.columns : GetInt(options, "num_cols")};
}

void SetInstruction(RoomBuilder& rooms, const Instruction& instruction) {
  rooms.world().instructions = {};
  rooms.world().instructions.clauses[0].actions[0] = instruction;
}

void SetInstructions(RoomBuilder& rooms, Instructions::Order order, const Instruction& first,
                     const Instruction& second) {
  SetInstruction(rooms, first);
  rooms.world().instructions.order = order;
  rooms.world().instructions.clauses[1].actions[0] = second;
}

std::pair<ObjectId, ObjectId> RandTwo(RoomBuilder& rooms, ObjectId first, int count) {
  const int one = rooms.RandInt(0, count);
  const int other = rooms.RandInt(0, count - 1);
  return {static_cast<ObjectId>(first + one),
          static_cast<ObjectId>(first + other + (other >= one ? 1 : 0))};
}

}  // namespace engine::minigrid
