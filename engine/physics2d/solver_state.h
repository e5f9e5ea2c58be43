// The bodies of an island while it is solved: compact copies of the values that the solver reads
// and writes.
#ifndef ENGINE_PHYSICS2D_SOLVER_STATE_H_
#define ENGINE_PHYSICS2D_SOLVER_STATE_H_

#include <bit>
#include <cstdint>

#include "engine/physics2d/geometry.h"

namespace engine::physics2d {

struct StepSize {
  float dt = 0.0f;        // s
  float dt_ratio = 1.0f;  // dt / previous dt; scales the previous impulses
  int velocity_iterations = 0;
  int position_iterations = 0;
};

struct Velocity {
  Vec2 v;          // of the centre of mass
  float w = 0.0f;  // angular
};

struct Position {
  Vec2 c;          // centre of mass
  float a = 0.0f;  // angle
  Rotation q;      // of the angle `rotated`
  float rotated = 0.0f;

  // The rotation of the angle. Computed only if a bit of the angle has changed.
  Rotation Turn() {
    if (std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(rotated)) {
      q = Rotation::FromAngle(a);
      rotated = a;
    }
    return q;
  }
  // The transform of the body whose centre of mass is at `local_center`.
  Transform At(Vec2 local_center) {
    const Rotation turn = Turn();
    return {c - Rotate(turn, local_center), turn};
  }
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_SOLVER_STATE_H_
