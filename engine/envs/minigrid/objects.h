// The objects that a cell of a grid may hold, with MiniGrid 3.2.0's codes for types, colours and
// states. Plain data.
#ifndef ENGINE_ENVS_MINIGRID_OBJECTS_H_
#define ENGINE_ENVS_MINIGRID_OBJECTS_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace engine::minigrid {

// The values are MiniGrid's codes in observations.
enum class Type : std::uint8_t {
  kUnseen = 0,
  kEmpty = 1,
  kWall = 2,
  kFloor = 3,
  kDoor = 4,
  kKey = 5,
  kBall = 6,
  kBox = 7,
  kGoal = 8,
  kLava = 9,
  kAgent = 10,
};
inline constexpr std::size_t kNumTypes = 11;

enum class Color : std::uint8_t { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };
inline constexpr std::size_t kNumColors = 6;
// The colours sorted by name, which is the order in which MiniGrid draws them.
inline constexpr std::array<Color, kNumColors> kColorsByName = {
    Color::kBlue, Color::kGreen, Color::kGrey, Color::kPurple, Color::kRed, Color::kYellow};

// States of a door. The state of any other object is 0.
inline constexpr std::uint8_t kDoorOpen = 0;
inline constexpr std::uint8_t kDoorClosed = 1;
inline constexpr std::uint8_t kDoorLocked = 2;
inline constexpr std::size_t kNumStates = 3;

inline constexpr std::string_view NameOf(Color color) {
  constexpr std::string_view kNames[] = {"red", "green", "blue", "purple", "yellow", "grey"};
  return kNames[static_cast<std::size_t>(color)];
}
inline constexpr std::string_view NameOf(Type type) {
  constexpr std::string_view kNames[] = {"unseen", "empty", "wall", "floor", "door", "key",
                                         "ball",   "box",   "goal", "lava",  "agent"};
  return kNames[static_cast<std::size_t>(type)];
}

struct Point {
  int x = 0;
  int y = 0;

  friend bool operator==(Point, Point) = default;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(Point a, int k) { return {a.x * k, a.y * k}; }
};
inline constexpr Point kNowhere{-1, -1};

// The four directions of the agent: right, down, left, up.
inline constexpr std::array<Point, 4> kDirections = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

// Index into World::objects.
using ObjectId = std::uint16_t;

// Objects that never change and need no identity. All cells share one object of each kind.
inline constexpr ObjectId kNothing = 0;
inline constexpr ObjectId kWallId = 1;    // grey
inline constexpr ObjectId kGoalId = 2;    // green
inline constexpr ObjectId kLavaId = 3;    // red
inline constexpr ObjectId kFirstOwn = 4;  // the first id of an episode's own objects

// Observations show the first three bytes. Views read these bytes and the fourth one with one load.
struct Object {
  Type type = Type::kEmpty;
  Color color = Color::kRed;
  std::uint8_t state = 0;
  bool opaque = false;           // whether the object hides the cells behind it
  ObjectId contents = kNothing;  // content of a box
  // Bit k is set if description k of the mission's instructions matches the object.
  std::uint8_t described = 0;
  bool in_room = false;  // whether a room lists the object (see AddDistractors)
  std::int16_t x = -1;   // the reference's `cur_pos`; (-1, -1) if carried
  std::int16_t y = -1;
  std::int16_t seen_x = -1;  // the position at the latest call of NotePlaces
  std::int16_t seen_y = -1;

  Point position() const { return {x, y}; }
  Point seen() const { return {seen_x, seen_y}; }
  bool can_overlap() const {
    return type == Type::kEmpty || type == Type::kGoal || type == Type::kLava ||
           type == Type::kFloor || (type == Type::kDoor && state == kDoorOpen);
  }
  bool can_pick_up() const {
    return type == Type::kKey || type == Type::kBall || type == Type::kBox;
  }
};
static_assert(sizeof(Object) == 16);

// Type, colour and state, and opacity in the fourth byte, read with one load.
using Code = std::uint32_t;
inline Code CodeOf(const Object& object) {
  Code code = 0;
  std::memcpy(&code, &object, sizeof(code));
  return code;
}
inline constexpr Code MakeCode(Type type, Color color, std::uint8_t state = 0) {
  return static_cast<Code>(type) | static_cast<Code>(color) << 8 | static_cast<Code>(state) << 16;
}
inline constexpr Code kShown = 0xffffff;  // mask of a code without opacity
inline constexpr Code kUnseenCode = 0;
inline constexpr Code kEmptyCode = MakeCode(Type::kEmpty, Color::kRed);
inline Type TypeOf(Code code) { return static_cast<Type>(code & 0xff); }
inline Color ColorOf(Code code) { return static_cast<Color>(code >> 8 & 0xff); }
inline std::uint8_t StateOf(Code code) { return static_cast<std::uint8_t>(code >> 16 & 0xff); }

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_OBJECTS_H_
