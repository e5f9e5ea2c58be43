// A shape attached to a body, with its material and its filter.
#ifndef ENGINE_PHYSICS2D_FIXTURE_H_
#define ENGINE_PHYSICS2D_FIXTURE_H_

#include <cstdint>

#include "engine/physics2d/body.h"
#include "engine/physics2d/constants.h"
#include "engine/physics2d/shape.h"

namespace engine::physics2d {

// Two fixtures of the same nonzero group always collide if the group is positive, and never if it
// is negative. Other fixtures collide if the category of each is in the mask of the other.
struct Filter {
  std::uint16_t category = 0x0001;
  std::uint16_t mask = 0xffff;
  std::int16_t group = 0;

  bool Accepts(const Filter& other) const {
    if (group == other.group && group != 0) return group > 0;
    return (mask & other.category) != 0 && (category & other.mask) != 0;
  }
};

struct FixtureDef {
  Shape shape = {};
  float density = 0.0f;  // kg/m^2
  float friction = 0.2f;
  float restitution = 0.0f;
  Filter filter = {};
  bool sensor = false;  // reports contacts, but does not push
  std::int64_t user_data = 0;
};

struct Fixture {
  Shape shape;
  BodyId body = kNone;  // kNone: destroyed
  FixtureId next = kNone;
  std::int32_t leaf = kNone;  // in the tree
  float density = 0.0f;
  float friction = 0.0f;
  float restitution = 0.0f;
  Filter filter;
  bool sensor = false;
  std::int64_t user_data = 0;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_FIXTURE_H_
