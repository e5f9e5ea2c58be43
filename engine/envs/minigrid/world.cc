#include "engine/envs/minigrid/world.h"

#include <stdexcept>

namespace engine::minigrid {
namespace {

constexpr std::array<Object, kFirstOwn> kShared = {{
    {.type = Type::kEmpty},
    {.type = Type::kWall, .color = Color::kGrey, .opaque = true},
    {.type = Type::kGoal, .color = Color::kGreen},
    {.type = Type::kLava, .color = Color::kRed},
}};

}  // namespace

void World::Clear() {
  std::fill(cells_.begin(), cells_.end(), kNothing);
  objects.assign(kShared.begin(), kShared.end());
  agent = kNowhere;
  direction = -1;
  carrying = kNothing;
}

void World::Set(Point at, ObjectId id) {
  if (!Has(at)) throw std::logic_error("a cell outside of the grid is set");
  cells_[Index(at)] = id;
}

void World::HorizontalWall(int x, int y, int length, ObjectId id) {
  for (int i = 0; i < length; ++i) Set({x + i, y}, id);
}

void World::VerticalWall(int x, int y, int length, ObjectId id) {
  for (int i = 0; i < length; ++i) Set({x, y + i}, id);
}

void World::WallRectangle(int x, int y, int w, int h) {
  HorizontalWall(x, y, w);
  HorizontalWall(x, y + h - 1, w);
  VerticalWall(x, y, h);
  VerticalWall(x + w - 1, y, h);
}

ObjectId World::New(Type type, Color color, std::uint8_t state) {
  if (objects.size() == objects.capacity()) throw std::logic_error("the world is full of objects");
  objects.push_back({.type = type,
                     .color = color,
                     .state = state,
                     .opaque = type == Type::kWall || (type == Type::kDoor && state != kDoorOpen)});
  return static_cast<ObjectId>(objects.size() - 1);
}

void World::PlaceAgent(Rng& rng, Point top, Point size) {
  agent = kNowhere;
  agent = PlaceAnywhere(rng, kNothing, top, size);
  direction = RandInt(rng, 0, 4);
}

void World::Toggle(Point at) {
  const ObjectId id = At(at);
  Object& object = objects[id];
  if (object.type == Type::kBox) {
    Set(at, object.contents);
    places_are_noted = false;
  } else if (object.type == Type::kDoor) {
    if (object.state == kDoorLocked) {
      const Object& key = objects[carrying];
      if (key.type != Type::kKey || key.color != object.color) return;
      object.state = kDoorOpen;
    } else {
      object.state = object.state == kDoorOpen ? kDoorClosed : kDoorOpen;
    }
    object.opaque = object.state != kDoorOpen;
  }
}

StepResult World::Act(std::int64_t action) {
  ++step_count;
  StepResult result;
  switch (action) {
    case kTurnLeft:
      direction = (direction + 3) % 4;
      break;
    case kTurnRight:
      direction = (direction + 1) % 4;
      break;
    case kForward: {
      const Point ahead = front();
      const Object& object = ObjectAt(ahead);
      if (object.can_overlap()) agent = ahead;
      if (object.type == Type::kGoal) {
        result.terminated = true;
        result.reward = Reward();
      } else if (object.type == Type::kLava) {
        result.terminated = true;
      }
      break;
    }
    case kTakeUp: {
      const ObjectId id = At(front());
      if (carrying == kNothing && objects[id].can_pick_up()) {
        carrying = id;
        Move(id, kNowhere);
        Set(front(), kNothing);
        places_are_noted = false;
      }
      break;
    }
    case kDrop:
      if (carrying != kNothing && At(front()) == kNothing) {
        Put(carrying, front());
        carrying = kNothing;
      }
      break;
    case kToggle:
      Toggle(front());
      break;
    default:
      break;
  }
  result.truncated = step_count >= max_steps;
  return result;
}

void World::SetMission(std::initializer_list<std::string_view> parts) {
  ClearMission();
  for (const std::string_view part : parts) AppendMission(part);
}

void World::ClearMission() {
  std::fill(mission_.begin(), mission_.begin() + static_cast<std::ptrdiff_t>(mission_length_), 0);
  mission_length_ = 0;
}

void World::AppendMission(std::string_view part) {
  if (part.size() > mission_.size() - mission_length_) {
    throw std::logic_error("the mission is longer than its space");
  }
  std::copy(part.begin(), part.end(),
            mission_.begin() + static_cast<std::ptrdiff_t>(mission_length_));
  mission_length_ += part.size();
}

void World::ThrowNoPlace() {
  throw std::runtime_error("no free place was found in " + std::to_string(kMaxTries) +
                           " tries: the options ask for more objects than the grid has room for");
}

void World::ThrowNoLevel() {
  throw std::runtime_error(
      "no level was found that satisfies the rules of this task: the options ask for more objects "
      "or doors than the rooms have place for");
}

}  // namespace engine::minigrid
