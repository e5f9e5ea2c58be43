// A joint that keeps a point of one body at a point of another body. It may have a motor, and
// limits for the angle between the bodies.
#ifndef ENGINE_PHYSICS2D_REVOLUTE_JOINT_H_
#define ENGINE_PHYSICS2D_REVOLUTE_JOINT_H_

#include <cstdint>

#include "engine/physics2d/body.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {

struct RevoluteJointDef {
  BodyId body_a = kNone;
  BodyId body_b = kNone;
  Vec2 anchor_a = {};  // in the frame of body A
  Vec2 anchor_b = {};
  float reference_angle = 0.0f;  // of B relative to A at joint angle 0, rad
  bool enable_limit = false;
  float lower_angle = 0.0f;
  float upper_angle = 0.0f;
  bool enable_motor = false;
  float motor_speed = 0.0f;       // rad/s
  float max_motor_torque = 0.0f;  // N m
  bool collide_connected = false;
};

enum class LimitState : std::uint8_t { kInactive, kAtLower, kAtUpper, kEqual };

struct RevoluteJoint {
  NumberedArray<BodyId, 2> bodies{kNone, kNone};  // kNone: destroyed
  NumberedArray<ListEntry, 2> entries;            // in the lists of the bodies
  NumberedArray<Vec2, 2> anchors;
  float reference_angle = 0.0f;
  float lower_angle = 0.0f;
  float upper_angle = 0.0f;
  float motor_speed = 0.0f;
  float max_motor_torque = 0.0f;
  Vec2 impulse;                // of the latest step, kg m/s
  float limit_impulse = 0.0f;  // kg m^2/s
  float motor_impulse = 0.0f;
  LimitState limit_state = LimitState::kInactive;
  bool enable_limit = false;
  bool enable_motor = false;
  bool collide_connected = false;
  bool in_island = false;
  JointId next_free = kNone;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_REVOLUTE_JOINT_H_
