// Grids of rooms with doors between them, drawn with the random draws of MiniGrid 3.2.0's RoomGrid.
#ifndef ENGINE_ENVS_MINIGRID_ROOMS_H_
#define ENGINE_ENVS_MINIGRID_ROOMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/rng.h"
#include "engine/envs/minigrid/objects.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {

// The sides of a room, in the order of Room::doors and of the agent's directions.
enum Side : int { kRightSide = 0, kDownSide = 1, kLeftSide = 2, kUpSide = 3 };

// The arrangement of rooms in a grid. Neighbouring rooms share a wall.
struct RoomPlan {
  int size = 7;  // cells on each side of a room, with its walls
  int rows = 3;
  int columns = 3;

  // The largest width and height of the whole grid. Searches use one bit of a 64-bit word per
  // column.
  static constexpr int kMaxCells = 64;

  int width() const { return (size - 1) * columns + 1; }
  int height() const { return (size - 1) * rows + 1; }
  int num_rooms() const { return rows * columns; }
  // The number of doors if all neighbours are connected.
  int num_doors() const { return rows * (columns - 1) + columns * (rows - 1); }
  int Index(int i, int j) const { return j * columns + i; }
  Point Top(int room) const { return {room % columns * (size - 1), room / columns * (size - 1)}; }
  int RoomAt(Point at) const { return Index(at.x / (size - 1), at.y / (size - 1)); }
  bool IsInside(int room, Point at) const {
    const Point top = Top(room);
    return at.x >= top.x && at.y >= top.y && at.x < top.x + size && at.y < top.y + size;
  }
  bool HasNeighbour(int room, int side) const {
    const int i = room % columns;
    const int j = room / columns;
    return side == kRightSide  ? i + 1 < columns
           : side == kDownSide ? j + 1 < rows
           : side == kLeftSide ? i > 0
                               : j > 0;
  }
  int Neighbour(int room, int side) const {
    return side == kRightSide  ? room + 1
           : side == kDownSide ? room + columns
           : side == kLeftSide ? room - 1
                               : room - columns;
  }
};

// Draws one level. A draw may fail where the reference raises an exception and begins again. After
// a failure failed() is true, and all methods change and draw nothing. A generator therefore does
// not have to check each call, but its loops have to end when failed() is true.
class RoomBuilder {
 public:
  // Draws the walls and the positions of doors, and puts the agent in the middle.
  RoomBuilder(World& world, Rng& rng, const RoomPlan& plan);

  bool failed() const { return failed_; }
  void Fail() { failed_ = true; }
  World& world() { return world_; }
  const RoomPlan& plan() const { return plan_; }

  // Like the methods of World. After a failure the result is `low`, false, or the first element.
  int RandInt(int low, int high) { return failed_ ? low : World::RandInt(rng_, low, high); }
  bool RandBool() { return !failed_ && World::RandBool(rng_); }
  double RandFloat() { return failed_ ? 0.0 : rng_.Uniform(0.0, 1.0); }
  Color RandColor() { return failed_ ? Color::kRed : World::RandColor(rng_); }
  template <class T, std::size_t n>
  T RandElement(const std::array<T, n>& elements) {
    return elements[static_cast<std::size_t>(RandInt(0, static_cast<int>(n)))];
  }
  template <class T>
  void RandSubset(std::span<T> elements, std::size_t count) {
    if (!failed_) World::RandSubset(rng_, elements, count);
  }

  // Add an object or a door, and draw each property that is not given. They return kNothing after a
  // failure.
  ObjectId AddObject(int i, int j, std::optional<Type> type = {}, std::optional<Color> color = {});
  ObjectId AddDoor(int i, int j, std::optional<int> side = {}, std::optional<Color> color = {},
                   std::optional<bool> locked = {});
  // Puts an object into a room, but not next to the agent.
  void PlaceInRoom(int i, int j, ObjectId id);
  void RemoveWall(int i, int j, int side);
  void PlaceAgent(std::optional<int> i = {}, std::optional<int> j = {});
  // Puts the agent into any room except the one with index `room`.
  void PlaceAgentOutside(int room);
  // Adds doors until the agent can reach all rooms.
  void ConnectAll(std::span<const Color> colors = kColorsByName);
  // Adds `count` objects and returns the id of the first one. The other ids follow it.
  ObjectId AddDistractors(std::optional<int> i, std::optional<int> j, int count, bool unique);
  ObjectId AddDistractors(int count, bool unique) { return AddDistractors({}, {}, count, unique); }

  // Whether the agent can reach all objects through doors and empty cells.
  bool ObjectsAreReachable() const;

  Room& RoomOf(int i, int j) { return world_.rooms[static_cast<std::size_t>(plan_.Index(i, j))]; }
  const Object& ObjectOf(ObjectId id) const { return world_.objects[id]; }

 private:
  static constexpr int kTriesInRoom = 1000;
  static constexpr int kTriesToConnect = 5000;

  void DrawDoorPositions();
  bool AllAreReached() const;

  World& world_;
  Rng& rng_;
  const RoomPlan& plan_;
  bool failed_ = false;
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_ROOMS_H_
