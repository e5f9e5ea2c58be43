// The state of one environment, and the steps and random draws that all levels share. Each draw
// follows MiniGrid 3.2.0's MiniGridEnv. One thread at a time. After construction nothing allocates,
// unless it throws.
#ifndef ENGINE_ENVS_MINIGRID_WORLD_H_
#define ENGINE_ENVS_MINIGRID_WORLD_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/minigrid/instructions.h"
#include "engine/envs/minigrid/objects.h"

namespace engine::minigrid {

enum Action : std::int64_t {
  kTurnLeft = 0,
  kTurnRight = 1,
  kForward = 2,
  kTakeUp = 3,
  kDrop = 4,
  kToggle = 5,
  kDone = 6,
};
inline constexpr std::int64_t kNumActions = 7;

// The sizes of the arrays of a World.
struct WorldSize {
  int width = 0;
  int height = 0;
  int max_objects = 0;       // objects with an identity, per episode
  int rooms = 0;             // rooms of a grid of rooms, otherwise 0
  std::size_t mission = 96;  // bytes of the text, without a terminator
};

// A room of a grid of rooms (rooms.h).
struct Room {
  // The connection to each neighbour, in the order right, down, left, up: the id of a door, kNoDoor
  // or kRemovedWall.
  static constexpr ObjectId kNoDoor = 0;
  static constexpr ObjectId kRemovedWall = 1;
  std::array<ObjectId, 4> doors = {};
  std::array<Point, 4> door_positions = {kNowhere, kNowhere, kNowhere, kNowhere};
  bool locked = false;
  bool reached = false;  // used by AllAreReached
};

class World {
 public:
  // The number of tries after which a draw without an explicit limit fails, because the options
  // leave no free place.
  static constexpr int kMaxTries = 1'000'000;

  explicit World(const WorldSize& size)
      : width(size.width),
        height(size.height),
        rooms(static_cast<std::size_t>(size.rooms)),
        mission_(size.mission),
        cells_(static_cast<std::size_t>(size.width * size.height)) {
    objects.reserve(kFirstOwn + static_cast<std::size_t>(size.max_objects));
  }

  // Grid.

  // Removes all objects, and sets the agent to kNowhere.
  void Clear();
  bool Has(Point at) const {
    return static_cast<unsigned>(at.x) < static_cast<unsigned>(width) &&
           static_cast<unsigned>(at.y) < static_cast<unsigned>(height);
  }
  // Returns the object at a cell. Cells outside of the grid are walls.
  ObjectId At(Point at) const { return Has(at) ? cells_[Index(at)] : kWallId; }
  const Object& ObjectAt(Point at) const { return objects[At(at)]; }
  // Throws std::logic_error if `at` is outside of the grid.
  void Set(Point at, ObjectId id);
  void HorizontalWall(int x, int y, int length, ObjectId id = kWallId);
  void VerticalWall(int x, int y, int length, ObjectId id = kWallId);
  void WallRectangle(int x, int y, int w, int h);
  // The cells row by row.
  std::span<const ObjectId> cells() const { return cells_; }

  // Objects.

  // Throws std::logic_error if the world is full.
  ObjectId New(Type type, Color color, std::uint8_t state = 0);
  ObjectId NewDoor(Color color, bool locked = false) {
    return New(Type::kDoor, color, locked ? kDoorLocked : kDoorClosed);
  }
  // Puts an object at a cell, and records its position.
  void Put(ObjectId id, Point at) {
    Set(at, id);
    Move(id, at);
  }
  void Move(ObjectId id, Point to) {
    if (id < kFirstOwn) return;
    objects[id].x = static_cast<std::int16_t>(to.x);
    objects[id].y = static_cast<std::int16_t>(to.y);
  }

  // Random draws. Each follows the reference's method of the same name.

  static int RandInt(Rng& rng, int low, int high) {
    return static_cast<int>(rng.Integers(low, high));
  }
  static bool RandBool(Rng& rng) { return rng.Integers(0, 2) == 0; }
  static Color RandColor(Rng& rng) {
    return kColorsByName[static_cast<std::size_t>(RandInt(rng, 0, kNumColors))];
  }
  template <class T, std::size_t n>
  static T RandElement(Rng& rng, const std::array<T, n>& elements) {
    return elements[static_cast<std::size_t>(RandInt(rng, 0, static_cast<int>(n)))];
  }
  // Moves `count` random elements to the front, in the order in which they are drawn. The other
  // elements keep their order.
  template <class T>
  static void RandSubset(Rng& rng, std::span<T> elements, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto drawn =
          i + static_cast<std::size_t>(RandInt(rng, 0, static_cast<int>(elements.size() - i)));
      std::rotate(elements.begin() + static_cast<std::ptrdiff_t>(i),
                  elements.begin() + static_cast<std::ptrdiff_t>(drawn),
                  elements.begin() + static_cast<std::ptrdiff_t>(drawn) + 1);
    }
  }

  // Puts an object (or kNothing) at a random free cell of a rectangle, where the agent is not and
  // `rejects` returns false. Returns the cell, or kNowhere after more than `max_tries` tries.
  template <class Rejects>
  Point Place(Rng& rng, ObjectId id, Point top, Point size, const Rejects& rejects, int max_tries) {
    const Point from{std::max(top.x, 0), std::max(top.y, 0)};
    const Point to{std::min(from.x + size.x, width), std::min(from.y + size.y, height)};
    if (from.x >= to.x || from.y >= to.y) ThrowNoPlace();
    for (int tries = 0; tries <= max_tries; ++tries) {
      const int x = RandInt(rng, from.x, to.x);
      const Point at{x, RandInt(rng, from.y, to.y)};
      if (At(at) != kNothing || at == agent || rejects(at)) continue;
      Put(id, at);
      return at;
    }
    return kNowhere;
  }
  // The same with kMaxTries tries. Throws std::runtime_error if there is no free cell.
  template <class Rejects>
  Point PlaceAnywhere(Rng& rng, ObjectId id, Point top, Point size, const Rejects& rejects) {
    const Point at = Place(rng, id, top, size, rejects, kMaxTries);
    if (at == kNowhere) ThrowNoPlace();
    return at;
  }
  Point PlaceAnywhere(Rng& rng, ObjectId id, Point top, Point size) {
    return PlaceAnywhere(rng, id, top, size, [](Point) { return false; });
  }
  Point PlaceAnywhere(Rng& rng, ObjectId id) {
    return PlaceAnywhere(rng, id, {0, 0}, {width, height});
  }
  void PlaceAgent(Rng& rng, Point top, Point size);
  void PlaceAgent(Rng& rng) { PlaceAgent(rng, {0, 0}, {width, height}); }

  // Episode.

  Point front() const { return agent + kDirections[static_cast<std::size_t>(direction)]; }
  double Reward() const {
    return 1.0 - 0.9 * (static_cast<double>(step_count) / static_cast<double>(max_steps));
  }
  // Counts the step and carries out the action. Sets the reward and the flags for a goal, for lava
  // and for the last step of the limit.
  StepResult Act(std::int64_t action);

  // Sets the mission to the concatenated parts. Throws std::logic_error if it is too long.
  void SetMission(std::initializer_list<std::string_view> parts);
  void ClearMission();
  void AppendMission(std::string_view part);
  // The text, followed by zeros up to the length of the buffer.
  std::span<const char> mission_bytes() const { return mission_; }
  std::string_view mission() const { return {mission_.data(), mission_length_}; }

  // Save and load the state of an episode. `rooms` is used only while a grid is drawn.
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

  [[noreturn]] static void ThrowNoPlace();
  [[noreturn]] static void ThrowNoLevel();

  const int width;
  const int height;
  Point agent = kNowhere;
  int direction = 0;
  ObjectId carrying = kNothing;
  std::int64_t step_count = 0;
  std::int64_t max_steps = 0;
  bool see_through_walls = false;
  std::vector<Object> objects;  // never grows beyond its capacity
  std::vector<Room> rooms;      // row by row
  // State that a level keeps during an episode.
  ObjectId target = kNothing;
  ObjectId other = kNothing;
  Point target_position = kNowhere;
  Point other_position = kNowhere;
  Instructions instructions;
  // The object that a level gave to the agent after the observation of the latest reset, until the
  // next step.
  ObjectId just_taken = kNothing;
  // Whether no object has left its noted position since the latest NotePlaces (instructions.h).
  bool places_are_noted = false;

 private:
  std::size_t Index(Point at) const { return static_cast<std::size_t>(at.y * width + at.x); }
  void Toggle(Point at);

  std::vector<char> mission_;
  std::size_t mission_length_ = 0;
  std::vector<ObjectId> cells_;
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_WORLD_H_
