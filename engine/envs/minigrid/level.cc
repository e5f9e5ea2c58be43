#include "engine/envs/minigrid/level.h"

#include <stdexcept>

#include "engine/base/error.h"
#include "engine/envs/minigrid/babyai.h"

namespace engine::minigrid {

RoomLevel::RoomLevel(RoomPlan plan, int max_objects, std::int64_t max_steps)
    : Level({.size = {.width = plan.width(),
                      .height = plan.height(),
                      .max_objects = max_objects + plan.num_doors(),
                      .rooms = plan.num_rooms()},
             .max_steps = max_steps}),
      plan_(plan) {
  const int side = std::max(plan.width(), plan.height());
  RequireOption(
      side <= RoomPlan::kMaxCells, "room_size",
      "a grid of rooms of at most " + std::to_string(RoomPlan::kMaxCells) + " cells on each side",
      std::to_string(side));
}

void RoomLevel::Generate(World& world, Rng& rng) const {
  RoomBuilder rooms(world, rng, plan_);
  Build(rooms);
  if (rooms.failed()) World::ThrowNoLevel();
}

const LevelKind& FindLevel(std::string_view name) {
  for (const auto kinds :
       {GridLevels(), MazeLevels(), ObjectLevels(), PlannedLevels(), RoomLevels(), GoToLevels(),
        OpenLevels(), ActionLevels(), UnlockLevels(), MixedLevels()}) {
    for (const LevelKind& kind : kinds) {
      if (kind.name == name) return kind;
    }
  }
  throw std::logic_error("no level is named " + std::string(name));
}

ParamSpec IntOption(std::string name, std::int64_t value, std::string doc, double low,
                    double high) {
  return {.name = std::move(name),
          .default_value = value,
          .doc = std::move(doc),
          .low = low,
          .high = high};
}

ParamSpec BoolOption(std::string name, bool value, std::string doc) {
  return {.name = std::move(name), .default_value = value, .doc = std::move(doc)};
}

ParamSpec ChoiceOption(std::string name, std::string value, std::string doc,
                       std::vector<std::string> choices) {
  return {.name = std::move(name),
          .default_value = std::move(value),
          .doc = std::move(doc),
          .choices = std::move(choices)};
}

ParamSpec CellOption(std::string name, std::vector<std::int64_t> value, std::string doc) {
  const bool is_none = value.empty();
  if (is_none) value = {1, 1};
  return {.name = std::move(name),
          .default_value = std::move(value),
          .doc = std::move(doc),
          .low = 0,
          .high = kMaxSide,
          .none = is_none ? NonePolicy::kDefault : NonePolicy::kAccepted};
}

ParamSpec MaxStepsOption() {
  return {.name = "max_steps",
          .default_value = std::int64_t{100},
          .doc =
              "Steps after which the environment truncates an episode. None: as the level "
              "determines it.",
          .low = 1,
          .high = 1e9,
          .none = NonePolicy::kDefault};
}

ParamSpec SeeThroughWallsOption() {
  return BoolOption("see_through_walls", false, "Whether the agent sees what is behind walls.");
}

int GetInt(const ParamValues& options, const std::string& name) {
  return static_cast<int>(options.Get<std::int64_t>(name));
}

std::int64_t MaxSteps(const ParamValues& options, std::int64_t otherwise) {
  return options.Holds<std::int64_t>("max_steps") ? options.Get<std::int64_t>("max_steps")
                                                  : otherwise;
}

void RequireOption(bool condition, const std::string& option, const std::string& expected,
                   const std::string& actual) {
  if (condition) return;
  throw Error(ErrorKind::kOption,
              "option \"" + option + "\": expected " + expected + ", got " + actual);
}

Point GetCell(const ParamValues& options, const std::string& name, int width, int height) {
  if (!options.Holds<std::vector<std::int64_t>>(name)) return kNowhere;
  const auto& cell = options.Get<std::vector<std::int64_t>>(name);
  RequireOption(cell.size() == 2, name, "two integers [x, y]",
                std::to_string(cell.size()) + " of them");
  const Point at{static_cast<int>(cell[0]), static_cast<int>(cell[1])};
  RequireOption(at.x >= 1 && at.y >= 1 && at.x < width - 1 && at.y < height - 1, name,
                "a cell inside of the outer walls, from [1, 1] to [" + std::to_string(width - 2) +
                    ", " + std::to_string(height - 2) + "]",
                "[" + std::to_string(at.x) + ", " + std::to_string(at.y) + "]");
  return at;
}

LevelTraits Square(const ParamValues& options, std::int64_t max_steps, bool see_through_walls,
                   int max_objects) {
  const int size = GetInt(options, "size");
  return {.size = {.width = size, .height = size, .max_objects = max_objects},
          .max_steps = MaxSteps(options, max_steps),
          .see_through_walls = see_through_walls};
}

std::int64_t Area(const ParamValues& options) {
  const auto size = options.Get<std::int64_t>("size");
  return size * size;
}

}  // namespace engine::minigrid
