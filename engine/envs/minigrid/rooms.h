// Grids of rooms with doors between them, drawn as MiniGrid 3.2.0's RoomGrid draws them.
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

// The sides of a room, in the order of doors and of the agent's directions.
enum Side : int { kRightSide = 0, kDownSide = 1, kLeftSide = 2, kUpSide = 3 };

// How rooms are arranged. Neighbours share a wall.
struct RoomPlan {
  int size = 7;  // cells on each side of a room, with its walls
  int rows = 3;
  int columns = 3;

  // Of the whole grid, at most: the searches below use one bit of a word per column.
  static constexpr int kMostCells = 64;

  int width() const { return (size - 1) * columns + 1; }
  int height() const { return (size - 1) * rows + 1; }
  int num_rooms() const { return rows * columns; }
  // Doors between all neighbours.
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

// Draws one level. A draw may fail, where the reference raises an exception to begin anew: from
// then on failed() is true, and all methods do and draw nothing. So a generator need not check
// each call, but its loops have to end when failed() is true.
class RoomBuilder {
 public:
  // Draws walls and the places of doors; the agent is in the middle.
  RoomBuilder(World& world, Rng& rng, const RoomPlan& plan);

  bool failed() const { return failed_; }
  void Fail() { failed_ = true; }
  World& world() { return world_; }
  const RoomPlan& plan() const { return plan_; }

  // As the methods of World. After a failure: `low`, false, the first elements.
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

  // Each draws what is not given. The ids are kNothing after a failure.
  ObjectId AddObject(int i, int j, std::optional<Type> type = {}, std::optional<Color> color = {});
  ObjectId AddDoor(int i, int j, std::optional<int> side = {}, std::optional<Color> color = {},
                   std::optional<bool> locked = {});
  // Puts an object into a room, away from the agent.
  void PlaceInRoom(int i, int j, ObjectId id);
  void RemoveWall(int i, int j, int side);
  void PlaceAgent(std::optional<int> i = {}, std::optional<int> j = {});
  // As above, in any room except the one with the given index.
  void PlaceAgentOutside(int room);
  // Adds doors until all rooms can be reached.
  void ConnectAll(std::span<const Color> colors = kColorsByName);
  // Adds objects; returns the id of the first, which the others follow.
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
