#include "engine/envs/minigrid/rooms.h"

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace engine::minigrid {
namespace {

constexpr std::array kRoomThings = {Type::kKey, Type::kBall, Type::kBox};

std::uint32_t BitOf(const Object& object) {
  return std::uint32_t{1} << (static_cast<unsigned>(object.type) * kNumColors -
                              static_cast<unsigned>(Type::kKey) * kNumColors +
                              static_cast<unsigned>(object.color));
}

}  // namespace

RoomBuilder::RoomBuilder(World& world, Rng& rng, const RoomPlan& plan)
    : world_(world), rng_(rng), plan_(plan) {
  world_.Clear();
  for (int room = 0; room < plan_.num_rooms(); ++room) {
    world_.rooms[static_cast<std::size_t>(room)] = Room();
    const Point top = plan_.Top(room);
    world_.WallRectangle(top.x, top.y, plan_.size, plan_.size);
  }
  DrawDoorPositions();
  world_.agent = {plan_.columns / 2 * (plan_.size - 1) + plan_.size / 2,
                  plan_.rows / 2 * (plan_.size - 1) + plan_.size / 2};
  world_.direction = 0;
}

void RoomBuilder::DrawDoorPositions() {
  for (int index = 0; index < plan_.num_rooms(); ++index) {
    Room& room = world_.rooms[static_cast<std::size_t>(index)];
    const Point top = plan_.Top(index);
    const Point last{top.x + plan_.size - 1, top.y + plan_.size - 1};
    if (plan_.HasNeighbour(index, kRightSide)) {
      room.door_positions[kRightSide] = {last.x, RandInt(top.y + 1, last.y)};
    }
    if (plan_.HasNeighbour(index, kDownSide)) {
      room.door_positions[kDownSide] = {RandInt(top.x + 1, last.x), last.y};
    }
    for (const int side : {kLeftSide, kUpSide}) {
      if (!plan_.HasNeighbour(index, side)) continue;
      const auto neighbour = static_cast<std::size_t>(plan_.Neighbour(index, side));
      room.door_positions[static_cast<std::size_t>(side)] =
          world_.rooms[neighbour].door_positions[static_cast<std::size_t>(side - 2)];
    }
  }
}

ObjectId RoomBuilder::AddObject(int i, int j, std::optional<Type> type,
                                std::optional<Color> color) {
  if (!type) type = RandElement(kRoomThings);
  if (!color) color = RandColor();
  if (failed_) return kNothing;
  const ObjectId id = world_.New(*type, *color);
  PlaceInRoom(i, j, id);
  return id;
}

void RoomBuilder::PlaceInRoom(int i, int j, ObjectId id) {
  if (failed_) return;
  const auto next_to_agent = [&](Point at) {
    return std::abs(world_.agent.x - at.x) + std::abs(world_.agent.y - at.y) < 2;
  };
  const Point at = world_.Place(rng_, id, plan_.Top(plan_.Index(i, j)), {plan_.size, plan_.size},
                                next_to_agent, kTriesInRoom);
  if (at == kNowhere) Fail();
  world_.objects[id].in_room = true;
}

ObjectId RoomBuilder::AddDoor(int i, int j, std::optional<int> side, std::optional<Color> color,
                              std::optional<bool> locked) {
  if (failed_) return kNothing;
  const int index = plan_.Index(i, j);
  Room& room = RoomOf(i, j);
  if (!side) {
    int tries = 0;
    do {
      if (++tries > World::kMaxTries) World::ThrowNoLevel();
      side = RandInt(0, 4);
    } while (!plan_.HasNeighbour(index, *side) ||
             room.doors[static_cast<std::size_t>(*side)] != Room::kNoDoor);
  }
  if (!color) color = RandColor();
  if (!locked) locked = RandBool();
  const auto at = static_cast<std::size_t>(*side);
  if (!plan_.HasNeighbour(index, *side) || room.doors[at] != Room::kNoDoor) World::ThrowNoLevel();
  room.locked = *locked;
  const ObjectId door = world_.NewDoor(*color, *locked);
  world_.Put(door, room.door_positions[at]);
  room.doors[at] = door;
  world_.rooms[static_cast<std::size_t>(plan_.Neighbour(index, *side))].doors[(at + 2) % 4] = door;
  return door;
}

void RoomBuilder::RemoveWall(int i, int j, int side) {
  if (failed_) return;
  const int index = plan_.Index(i, j);
  if (!plan_.HasNeighbour(index, side)) World::ThrowNoLevel();
  const Point top = plan_.Top(index);
  const int last = plan_.size - 1;
  for (int k = 1; k < last; ++k) {
    const Point at = side == kRightSide  ? Point{top.x + last, top.y + k}
                     : side == kDownSide ? Point{top.x + k, top.y + last}
                     : side == kLeftSide ? Point{top.x, top.y + k}
                                         : Point{top.x + k, top.y};
    world_.Set(at, kNothing);
  }
  const auto at = static_cast<std::size_t>(side);
  RoomOf(i, j).doors[at] = Room::kRemovedWall;
  world_.rooms[static_cast<std::size_t>(plan_.Neighbour(index, side))].doors[(at + 2) % 4] =
      Room::kRemovedWall;
}

void RoomBuilder::PlaceAgent(std::optional<int> i, std::optional<int> j) {
  if (!i) i = RandInt(0, plan_.columns);
  if (!j) j = RandInt(0, plan_.rows);
  if (failed_) return;
  for (int tries = 0; tries < World::kMaxTries; ++tries) {
    world_.agent = kNowhere;
    const Point at = world_.Place(
        rng_, kNothing, plan_.Top(plan_.Index(*i, *j)), {plan_.size, plan_.size},
        [](Point) { return false; }, kTriesInRoom);
    if (at == kNowhere) {
      Fail();
      return;
    }
    world_.agent = at;
    world_.direction = RandInt(0, 4);
    const Type ahead = world_.ObjectAt(world_.front()).type;
    if (ahead == Type::kEmpty || ahead == Type::kWall) return;
  }
  World::ThrowNoLevel();
}

void RoomBuilder::PlaceAgentOutside(int room) {
  for (int tries = 0; tries < World::kMaxTries; ++tries) {
    PlaceAgent();
    if (failed_ || plan_.RoomAt(world_.agent) != room) return;
  }
  World::ThrowNoLevel();
}

bool RoomBuilder::AllAreReached() const {
  for (Room& room : world_.rooms) room.reached = false;
  world_.rooms[static_cast<std::size_t>(plan_.RoomAt(world_.agent))].reached = true;
  int reached = 1;
  for (bool found = true; found;) {
    found = false;
    for (int index = 0; index < plan_.num_rooms(); ++index) {
      const Room& room = world_.rooms[static_cast<std::size_t>(index)];
      if (!room.reached) continue;
      for (int side = 0; side < 4; ++side) {
        if (room.doors[static_cast<std::size_t>(side)] == Room::kNoDoor) continue;
        Room& next = world_.rooms[static_cast<std::size_t>(plan_.Neighbour(index, side))];
        if (next.reached) continue;
        next.reached = true;
        ++reached;
        found = true;
      }
    }
  }
  return reached == plan_.num_rooms();
}

void RoomBuilder::ConnectAll(std::span<const Color> colors) {
  if (failed_ || AllAreReached()) return;
  for (int tries = 0; tries <= kTriesToConnect; ++tries) {
    const int i = RandInt(0, plan_.columns);
    const int j = RandInt(0, plan_.rows);
    const int side = RandInt(0, 4);
    const int index = plan_.Index(i, j);
    const Room& room = RoomOf(i, j);
    // A wall without a neighbouring room cannot have a door.
    if (!plan_.HasNeighbour(index, side) ||
        room.doors[static_cast<std::size_t>(side)] != Room::kNoDoor) {
      continue;
    }
    const auto neighbour = static_cast<std::size_t>(plan_.Neighbour(index, side));
    if (room.locked || world_.rooms[neighbour].locked) continue;
    const Color color =
        colors[static_cast<std::size_t>(RandInt(0, static_cast<int>(colors.size())))];
    AddDoor(i, j, side, color, false);
    // After the last try the reference fails without checking whether that try has connected all
    // rooms.
    if (tries < kTriesToConnect && AllAreReached()) return;
  }
  Fail();
}

ObjectId RoomBuilder::AddDistractors(std::optional<int> i, std::optional<int> j, int count,
                                     bool unique) {
  std::uint32_t present = 0;
  for (const Object& object : world_.objects) {
    if (object.in_room) present |= BitOf(object);
  }
  const auto first = static_cast<ObjectId>(world_.objects.size());
  int tries = 0;
  for (int added = 0; added < count && !failed_;) {
    if (++tries > World::kMaxTries) World::ThrowNoLevel();
    const Color color = RandColor();
    const Type type = RandElement(kRoomThings);
    const std::uint32_t bit = BitOf({.type = type, .color = color});
    if (unique && (present & bit) != 0) continue;
    const int room_i = i ? *i : RandInt(0, plan_.columns);
    const int room_j = j ? *j : RandInt(0, plan_.rows);
    AddObject(room_i, room_j, type, color);
    present |= bit;
    ++added;
  }
  return failed_ ? kNothing : first;
}

bool RoomBuilder::ObjectsAreReachable() const {
  std::array<std::uint64_t, RoomPlan::kMaxCells> open = {};     // empty cells and doors
  std::array<std::uint64_t, RoomPlan::kMaxCells> reached = {};  // cells that the agent can enter
  std::array<std::uint64_t, RoomPlan::kMaxCells> things = {};
  for (int y = 0; y < world_.height; ++y) {
    const auto row = static_cast<std::size_t>(y);
    for (int x = 0; x < world_.width; ++x) {
      const Type type = world_.ObjectAt({x, y}).type;
      const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(x);
      if (type == Type::kEmpty || type == Type::kDoor) open[row] |= bit;
      if (type != Type::kEmpty && type != Type::kWall) things[row] |= bit;
    }
  }
  const auto last = static_cast<std::size_t>(world_.height - 1);
  reached[static_cast<std::size_t>(world_.agent.y)] = std::uint64_t{1}
                                                      << static_cast<unsigned>(world_.agent.x);
  const auto around = [&](std::size_t row) {
    const std::uint64_t here = reached[row];
    return here | here << 1 | here >> 1 | (row > 0 ? reached[row - 1] : 0) |
           (row < last ? reached[row + 1] : 0);
  };
  for (bool grown = true; grown;) {
    grown = false;
    const auto grow = [&](std::size_t row) {
      for (;;) {
        const std::uint64_t more = (around(row) & open[row]) | reached[row];
        if (more == reached[row]) return;
        reached[row] = more;
        grown = true;
      }
    };
    for (std::size_t row = 0; row <= last; ++row) grow(row);
    for (std::size_t row = last + 1; row-- > 0;) grow(row);
  }
  for (std::size_t row = 0; row <= last; ++row) {
    if ((things[row] & ~around(row)) != 0) return false;
  }
  return true;
}

}  // namespace engine::minigrid
