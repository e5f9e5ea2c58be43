#include "engine/physics2d/joint_solver.h"

#include "engine/physics2d/constants.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {
namespace {

struct Vec3 {
  float x, y, z;
};

float Dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec3 Cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
float InverseOr0(float value) { return value != 0.0f ? 1.0f / value : value; }

void SetMatrix(JointConstraint& c) {
  const float ma = c.mass_a, mb = c.mass_b, ia = c.inertia_a, ib = c.inertia_b;
  const Vec2 ra = c.ra, rb = c.rb;
  c.k11 = ma + mb + ra.y * ra.y * ia + rb.y * rb.y * ib;
  c.k12 = -ra.y * ra.x * ia - rb.y * rb.x * ib;
  c.k13 = -ra.y * ia - rb.y * ib;
  c.k22 = ma + mb + ra.x * ra.x * ia + rb.x * rb.x * ib;
  c.k23 = ra.x * ia + rb.x * ib;
  c.k33 = ia + ib;
  c.inverse_determinant2 = InverseOr0(c.k11 * c.k22 - c.k12 * c.k12);
  const Vec3 cofactors = Cross({c.k12, c.k22, c.k23}, {c.k13, c.k23, c.k33});
  c.cofactor1 = cofactors.x;
  c.cofactor2 = cofactors.y;
  c.cofactor3 = cofactors.z;
  c.inverse_determinant3 = InverseOr0(Dot({c.k11, c.k12, c.k13}, cofactors));
}

LimitState LimitAt(const RevoluteJoint& joint, float angle) {
  if (Abs(joint.upper_angle - joint.lower_angle) < 2.0f * kAngularSlop) return LimitState::kEqual;
  if (angle <= joint.lower_angle) return LimitState::kAtLower;
  if (angle >= joint.upper_angle) return LimitState::kAtUpper;
  return LimitState::kInactive;
}

// A limit impulse of the previous step is kept only if the joint is still at the same limit.
void SetLimit(const RevoluteJoint& joint, float angle, bool can_turn, JointConstraint& c) {
  c.limit_impulse = joint.limit_impulse;
  if (!joint.enable_limit || !can_turn) {
    c.limit = LimitState::kInactive;
    return;
  }
  c.limit = LimitAt(joint, angle);
  const bool changed = c.limit != joint.limit_state && c.limit != LimitState::kEqual;
  if (changed || c.limit == LimitState::kInactive) c.limit_impulse = 0.0f;
}

void WarmStart(const JointConstraint& c, Velocity& va, Velocity& vb) {
  va.v -= c.mass_a * c.impulse;
  va.w -= c.inertia_a * (Cross(c.ra, c.impulse) + c.motor_impulse + c.limit_impulse);
  vb.v += c.mass_b * c.impulse;
  vb.w += c.inertia_b * (Cross(c.rb, c.impulse) + c.motor_impulse + c.limit_impulse);
}

Vec2 Solve2(const JointConstraint& c, Vec2 b) {
  return {c.inverse_determinant2 * (c.k22 * b.x - c.k12 * b.y),
          c.inverse_determinant2 * (c.k11 * b.y - c.k12 * b.x)};
}

Vec3 Solve3(const JointConstraint& c, Vec3 b) {
  const Vec3 column1{c.k11, c.k12, c.k13};
  const Vec3 column2{c.k12, c.k22, c.k23};
  const Vec3 column3{c.k13, c.k23, c.k33};
  return {c.inverse_determinant3 * Dot(b, {c.cofactor1, c.cofactor2, c.cofactor3}),
          c.inverse_determinant3 * Dot(column1, Cross(b, column3)),
          c.inverse_determinant3 * Dot(column1, Cross(column2, b))};
}

void SolveMotor(JointConstraint& c, Velocity& va, Velocity& vb) {
  const float wanted = -c.motor_mass * (vb.w - va.w - c.motor_speed);
  const float old = c.motor_impulse;
  c.motor_impulse = PredictedClamp(old + wanted, -c.max_motor_impulse, c.max_motor_impulse);
  const float change = c.motor_impulse - old;
  va.w -= c.inertia_a * change;
  vb.w += c.inertia_b * change;
}

void SolvePoint(JointConstraint& c, Velocity& va, Velocity& vb) {
  const Vec2 speed = vb.v + Cross(vb.w, c.rb) - va.v - Cross(va.w, c.ra);
  const Vec2 impulse = Solve2(c, -speed);
  c.impulse += impulse;
  va.v -= c.mass_a * impulse;
  va.w -= c.inertia_a * Cross(c.ra, impulse);
  vb.v += c.mass_b * impulse;
  vb.w += c.inertia_b * Cross(c.rb, impulse);
}

// Solves the point and the limit together. The impulse of a limit has only one sign: otherwise it
// is set to 0, and the point is solved alone.
void SolvePointAndLimit(JointConstraint& c, Velocity& va, Velocity& vb) {
  const Vec2 speed = vb.v + Cross(vb.w, c.rb) - va.v - Cross(va.w, c.ra);
  const Vec3 solved = Solve3(c, {speed.x, speed.y, vb.w - va.w});
  Vec2 impulse{-solved.x, -solved.y};
  float limit_impulse = -solved.z;
  const float total = c.limit_impulse + limit_impulse;
  const bool pulls = (c.limit == LimitState::kAtLower && total < 0.0f) ||
                     (c.limit == LimitState::kAtUpper && total > 0.0f);
  if (pulls) {
    impulse = Solve2(c, -speed + c.limit_impulse * Vec2{c.k13, c.k23});
    limit_impulse = -c.limit_impulse;
    c.impulse += impulse;
    c.limit_impulse = 0.0f;
  } else {
    c.impulse += impulse;
    c.limit_impulse = total;
  }
  va.v -= c.mass_a * impulse;
  va.w -= c.inertia_a * (Cross(c.ra, impulse) + limit_impulse);
  vb.v += c.mass_b * impulse;
  vb.w += c.inertia_b * (Cross(c.rb, impulse) + limit_impulse);
}

// Moves the angles back inside the limits. Returns the previous error.
float CorrectAngles(const JointConstraint& c, Position& a, Position& b) {
  const float angle = b.a - a.a - c.reference_angle;
  float error = 0.0f;
  float correction = 0.0f;
  if (c.limit == LimitState::kEqual) {
    correction = Clamp(angle - c.lower_angle, -kMaxAngularCorrection, kMaxAngularCorrection);
    error = Abs(correction);
  } else if (c.limit == LimitState::kAtLower) {
    const float excess = angle - c.lower_angle;
    error = -excess;
    correction = Clamp(excess + kAngularSlop, -kMaxAngularCorrection, 0.0f);
  } else {
    const float excess = angle - c.upper_angle;
    error = excess;
    correction = Clamp(excess - kAngularSlop, 0.0f, kMaxAngularCorrection);
  }
  const float impulse = -c.motor_mass * correction;
  a.a -= c.inertia_a * impulse;
  b.a += c.inertia_b * impulse;
  return error;
}

// Moves the points together. Returns their previous distance.
float CorrectPoint(const JointConstraint& c, Position& a, Position& b) {
  const Vec2 ra = Rotate(a.Turn(), c.anchor_a);
  const Vec2 rb = Rotate(b.Turn(), c.anchor_b);
  const Vec2 gap = b.c + rb - a.c - ra;
  const float ma = c.mass_a, mb = c.mass_b, ia = c.inertia_a, ib = c.inertia_b;
  const float k11 = ma + mb + ia * ra.y * ra.y + ib * rb.y * rb.y;
  const float k12 = -ia * ra.x * ra.y - ib * rb.x * rb.y;
  const float k22 = ma + mb + ia * ra.x * ra.x + ib * rb.x * rb.x;
  const float inverse = InverseOr0(k11 * k22 - k12 * k12);
  const Vec2 impulse{-(inverse * (k22 * gap.x - k12 * gap.y)),
                     -(inverse * (k11 * gap.y - k12 * gap.x))};
  a.c -= ma * impulse;
  a.a -= ia * Cross(ra, impulse);
  b.c += mb * impulse;
  b.a += ib * Cross(rb, impulse);
  return Length(gap);
}

}  // namespace

void JointSolver::Begin(NumberedSpan<const Body> bodies, NumberedSpan<const RevoluteJoint> joints,
                        NumberedSpan<const JointId> ids, const StepSize& step,
                        NumberedSpan<Position> positions, NumberedSpan<Velocity> velocities) {
  constraints_.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const RevoluteJoint& joint = joints[ids[i]];
    const Body& a = bodies[joint.bodies[0]];
    const Body& b = bodies[joint.bodies[1]];
    JointConstraint& c = constraints_[i];
    c.a = a.island_index;
    c.b = b.island_index;
    c.mass_a = a.inverse_mass;
    c.mass_b = b.inverse_mass;
    c.inertia_a = a.inverse_inertia;
    c.inertia_b = b.inverse_inertia;
    c.anchor_a = joint.anchors[0] - a.sweep.local_center;
    c.anchor_b = joint.anchors[1] - b.sweep.local_center;
    c.reference_angle = joint.reference_angle;
    c.lower_angle = joint.lower_angle;
    c.upper_angle = joint.upper_angle;
    Position& position_a = positions[c.a];
    Position& position_b = positions[c.b];
    c.ra = Rotate(position_a.Turn(), c.anchor_a);
    c.rb = Rotate(position_b.Turn(), c.anchor_b);
    SetMatrix(c);

    const bool can_turn = !(c.inertia_a + c.inertia_b == 0.0f);
    SetLimit(joint, position_b.a - position_a.a - joint.reference_angle, can_turn, c);
    c.motor_mass = c.k33 > 0.0f ? 1.0f / c.k33 : c.k33;
    c.motor = joint.enable_motor && c.limit != LimitState::kEqual && can_turn;
    c.motor_speed = joint.motor_speed;
    c.max_motor_impulse = step.dt * joint.max_motor_torque;

    c.impulse = step.dt_ratio * joint.impulse;
    c.limit_impulse *= step.dt_ratio;
    c.motor_impulse = joint.enable_motor && can_turn ? joint.motor_impulse : 0.0f;
    c.motor_impulse *= step.dt_ratio;
    WarmStart(c, velocities[c.a], velocities[c.b]);
  }
}

void JointSolver::SolveVelocities(NumberedSpan<Velocity> velocities) {
  for (JointConstraint& c : constraints_) {
    Velocity va = velocities[c.a];
    Velocity vb = velocities[c.b];
    if (c.motor) SolveMotor(c, va, vb);
    if (c.limit == LimitState::kInactive) {
      SolvePoint(c, va, vb);
    } else {
      SolvePointAndLimit(c, va, vb);
    }
    velocities[c.a] = va;
    velocities[c.b] = vb;
  }
}

bool JointSolver::SolvePositions(NumberedSpan<Position> positions) const {
  bool solved = true;
  for (const JointConstraint& c : constraints_) {
    Position& a = positions[c.a];
    Position& b = positions[c.b];
    const float angle_error = c.limit == LimitState::kInactive ? 0.0f : CorrectAngles(c, a, b);
    const float gap = CorrectPoint(c, a, b);
    solved = gap <= kLinearSlop && angle_error <= kAngularSlop && solved;
  }
  return solved;
}

void JointSolver::Store(NumberedSpan<RevoluteJoint> joints, NumberedSpan<const JointId> ids) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const JointConstraint& c = constraints_[i];
    RevoluteJoint& joint = joints[ids[i]];
    joint.impulse = c.impulse;
    joint.limit_impulse = c.limit_impulse;
    joint.motor_impulse = c.motor_impulse;
    joint.limit_state = c.limit;
  }
}

}  // namespace engine::physics2d
