// A rigid body: static (never moves), kinematic (moves at a given velocity) or dynamic. World
// (world.h) creates, moves and destroys bodies. It stores one Body for each.
#ifndef ENGINE_PHYSICS2D_BODY_H_
#define ENGINE_PHYSICS2D_BODY_H_

#include <cstdint>

#include "engine/physics2d/constants.h"
#include "engine/physics2d/geometry.h"

namespace engine::physics2d {

using BodyId = std::int32_t;
using FixtureId = std::int32_t;
using ContactId = std::int32_t;
using JointId = std::int32_t;

enum class BodyType : std::uint8_t { kStatic, kKinematic, kDynamic };

struct BodyDef {
  BodyType type = BodyType::kStatic;
  Vec2 position = {};             // of the body's origin, m
  float angle = 0.0f;             // rad
  Vec2 velocity = {};             // m/s
  float angular_velocity = 0.0f;  // rad/s
  float linear_damping = 0.0f;    // 1/s
  float angular_damping = 0.0f;   // 1/s
  float gravity_scale = 1.0f;
  bool awake = true;
  bool allow_sleep = true;
  bool fixed_rotation = false;
  bool bullet = false;  // continuous collision also with dynamic bodies
  std::int64_t user_data = 0;
};

// The links of one entry in a body's list of contacts or joints. An entry's number is twice the
// number of the contact or joint, plus 1 if this body is its B.
struct ListEntry {
  std::int32_t previous = kNone;
  std::int32_t next = kNone;
};

struct Body {
  // Read and written in every step.
  Transform transform;  // of the origin
  Sweep sweep;          // of the centre of mass
  Vec2 velocity;        // of the centre of mass, m/s
  float angular_velocity = 0.0f;
  Vec2 force;           // N, until the end of the next step
  float torque = 0.0f;  // N m
  float inverse_mass = 0.0f;
  float inverse_inertia = 0.0f;
  float gravity_scale = 1.0f;
  float linear_damping = 0.0f;
  float angular_damping = 0.0f;
  float sleep_time = 0.0f;  // s for which it has been slow
  std::int32_t island_index = 0;

  BodyType type = BodyType::kStatic;
  bool alive = false;
  bool awake = true;
  bool allow_sleep = true;
  bool fixed_rotation = false;
  bool bullet = false;
  bool in_island = false;

  // Lists, each with the newest entry first.
  std::int32_t first_fixture = kNone;
  std::int32_t first_contact = kNone;  // an entry (ListEntry)
  std::int32_t first_joint = kNone;
  BodyId previous = kNone;  // in the list of non-static bodies
  BodyId next = kNone;      // for a destroyed body: the next free body

  float mass = 0.0f;     // kg
  float inertia = 0.0f;  // about the centre of mass, kg m^2
  std::int64_t user_data = 0;

  bool is_static() const { return type == BodyType::kStatic; }
  bool is_dynamic() const { return type == BodyType::kDynamic; }
  // Only contacts with at least one active body are updated.
  bool is_active() const { return awake && !is_static(); }
  Vec2 position() const { return transform.p; }
  float angle() const { return sweep.a; }
  Vec2 center() const { return sweep.c; }

  void SetAwake(bool value) {
    if (value) {
      if (!awake) {
        awake = true;
        sleep_time = 0.0f;
      }
      return;
    }
    awake = false;
    sleep_time = 0.0f;
    velocity = {};
    angular_velocity = 0.0f;
    force = {};
    torque = 0.0f;
  }
  // Sets the transform to the end of the sweep.
  void UpdateTransform() {
    transform.q = Rotation::FromAngle(sweep.a);
    transform.p = sweep.c - Rotate(transform.q, sweep.local_center);
  }
  // Ends the sweep at a fraction of the step.
  void AdvanceTo(float alpha) {
    sweep.Advance(alpha);
    sweep.c = sweep.c0;
    sweep.a = sweep.a0;
    UpdateTransform();
  }
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_BODY_H_
