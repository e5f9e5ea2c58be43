// The revolute joints of an island as constraints: an impulse at the common point, an impulse at
// the limit of the angle, and an impulse of the motor.
#ifndef ENGINE_PHYSICS2D_JOINT_SOLVER_H_
#define ENGINE_PHYSICS2D_JOINT_SOLVER_H_

#include "engine/physics2d/body.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/revolute_joint.h"
#include "engine/physics2d/solver_state.h"

namespace engine::physics2d {

// a and b are the indices of the bodies in the island. Values that do not change during the
// iterations are computed once, with the same operations.
struct JointConstraint {
  int a = 0;
  int b = 0;
  float mass_a = 0.0f, mass_b = 0.0f;        // inverse
  float inertia_a = 0.0f, inertia_b = 0.0f;  // inverse
  Vec2 ra, rb;                               // from the centres of mass to the common point
  Vec2 anchor_a, anchor_b;                   // the same point, in the frames of the bodies

  bool motor = false;
  float motor_speed = 0.0f;
  float motor_mass = 0.0f;
  float max_motor_impulse = 0.0f;
  float motor_impulse = 0.0f;

  LimitState limit = LimitState::kInactive;
  float reference_angle = 0.0f;
  float lower_angle = 0.0f;
  float upper_angle = 0.0f;

  // The symmetric matrix from impulses to velocities, without and with its part for the limit.
  float k11 = 0.0f, k12 = 0.0f, k22 = 0.0f;
  float k13 = 0.0f, k23 = 0.0f, k33 = 0.0f;
  float inverse_determinant2 = 0.0f;
  float inverse_determinant3 = 0.0f;
  float cofactor1 = 0.0f, cofactor2 = 0.0f, cofactor3 = 0.0f;  // of the first column

  Vec2 impulse;
  float limit_impulse = 0.0f;
};

class JointSolver {
 public:
  // Also applies the impulses of the previous step to `velocities`.
  void Begin(NumberedSpan<const Body> bodies, NumberedSpan<const RevoluteJoint> joints,
             NumberedSpan<const JointId> ids, const StepSize& step,
             NumberedSpan<Position> positions, NumberedSpan<Velocity> velocities);
  void SolveVelocities(NumberedSpan<Velocity> velocities);
  // Runs one iteration. Returns true if no joint has a large error.
  bool SolvePositions(NumberedSpan<Position> positions) const;
  void Store(NumberedSpan<RevoluteJoint> joints, NumberedSpan<const JointId> ids) const;

  NumberedSpan<const JointConstraint> constraints() const { return constraints_; }
  NumberedSpan<JointConstraint> constraints() { return constraints_; }

 private:
  NumberedVector<JointConstraint> constraints_;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_JOINT_SOLVER_H_
