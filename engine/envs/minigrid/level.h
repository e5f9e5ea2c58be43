// A level: how a task draws its grid, and the rules of its mission. It is made once per pool from
// the options and is immutable afterwards; any thread.
#ifndef ENGINE_ENVS_MINIGRID_LEVEL_H_
#define ENGINE_ENVS_MINIGRID_LEVEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/env/params.h"
#include "engine/envs/minigrid/rooms.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {

struct LevelTraits {
  WorldSize size;
  std::int64_t max_steps = 100;
  bool see_through_walls = false;
  std::int64_t num_actions = kNumActions;
};

class Level {
 public:
  explicit Level(LevelTraits traits) : traits_(std::move(traits)) {}
  virtual ~Level() = default;
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  const LevelTraits& traits() const { return traits_; }
  // Whether Generate may set World::max_steps. Depends only on the kind of the level.
  virtual bool sets_max_steps() const { return false; }

  // Draws the grid, places the agent and sets the mission. Throws std::runtime_error if the grid
  // has no place for an object or the agent.
  virtual void Generate(World& world, Rng& rng) const = 0;
  virtual StepResult Step(World& world, std::int64_t action, Rng& /*rng*/) const {
    return world.Act(action);
  }

 protected:
  LevelTraits traits_;
};

// A level on a grid of rooms.
class RoomLevel : public Level {
 public:
  // Throws Error{kOption} if the grid is too large.
  RoomLevel(RoomPlan plan, int max_objects, std::int64_t max_steps);
  void Generate(World& world, Rng& rng) const override;

 protected:
  virtual void Build(RoomBuilder& rooms) const = 0;

  RoomPlan plan_;
};

// A kind of level. The fixed option "level" is its name.
struct LevelKind {
  std::string_view name;
  ParamSchema (*options)();  // without the options of all levels
  std::unique_ptr<const Level> (*make)(const ParamValues& options);
};
template <class L>
constexpr LevelKind KindOf(std::string_view name) {
  return {.name = name, .options = &L::Options, .make = [](const ParamValues& options) {
            return std::unique_ptr<const Level>(std::make_unique<L>(options));
          }};
}

// The kinds of levels that each file defines.
std::span<const LevelKind> GridLevels();
std::span<const LevelKind> MazeLevels();
std::span<const LevelKind> ObjectLevels();
std::span<const LevelKind> PlannedLevels();
std::span<const LevelKind> RoomLevels();

// Returns the kind with this name. Throws std::logic_error if there is none.
const LevelKind& FindLevel(std::string_view name);

// Functions that make entries of option schemas.
ParamSpec IntOption(std::string name, std::int64_t value, std::string doc, double low,
                    double high = 1e9);
ParamSpec BoolOption(std::string name, bool value, std::string doc);
ParamSpec ChoiceOption(std::string name, std::string value, std::string doc,
                       std::vector<std::string> choices);
// A cell [x, y]. If `value` is empty, the default is None.
ParamSpec CellOption(std::string name, std::vector<std::int64_t> value, std::string doc);
// The option "max_steps": the number of steps after which an episode is truncated. The default None
// means the value that the level computes.
ParamSpec MaxStepsOption();
ParamSpec SeeThroughWallsOption();

// Functions that read option values.
int GetInt(const ParamValues& options, const std::string& name);
std::int64_t MaxSteps(const ParamValues& options, std::int64_t otherwise);
// Throws Error{kOption} unless `condition`.
void RequireOption(bool condition, const std::string& option, const std::string& expected,
                   const std::string& actual);
// Returns the cell of the option, or kNowhere for None. Throws Error{kOption} if the cell is not
// inside of the outer walls.
Point GetCell(const ParamValues& options, const std::string& name, int width, int height);

inline constexpr double kMaxSide = 255;
inline constexpr const char* kSizeDoc = "Cells on each side of the grid, with the outer walls.";
inline constexpr const char* kObstacleDoc = "What blocks the way: \"lava\" or \"wall\".";

// The mission of levels in which obstacles block the way to the goal.
inline std::string_view CrossingMission(bool lava) {
  return lava ? "avoid the lava and get to the green goal square"
              : "find the opening and get to the green goal square";
}

// Returns the traits of a square grid with the option "size". `max_steps`: the limit if the option
// "max_steps" is None.
LevelTraits Square(const ParamValues& options, std::int64_t max_steps, bool see_through_walls,
                   int max_objects = 0);
// Returns the number of cells of a square grid with the option "size".
std::int64_t Area(const ParamValues& options);

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_LEVEL_H_
