#include "engine/physics2d/island.h"

#include <cstring>
#include <optional>

#include "engine/physics2d/constants.h"

namespace engine::physics2d {

void Island::Begin(const WorldParts& parts, Vec2 gravity, const StepSize& step) {
  ApplyForces(parts, gravity, step.dt);
  contact_solver_.Begin(parts.bodies, parts.fixtures, parts.contacts, contacts, step.dt_ratio);
  contact_solver_.Prepare(positions_, velocities_);
  contact_solver_.WarmStart(velocities_);
  joint_solver_.Begin(parts.bodies, parts.joints, joints, step, positions_, velocities_);
}

void Island::End(const WorldParts& parts, const StepSize& step) {
  contact_solver_.StoreImpulses();
  joint_solver_.Store(parts.joints, joints);
  MoveBodies(step.dt);
  const bool positions_solved = SolvePositions(step.position_iterations);
  WriteBack(parts);
  UpdateSleep(parts, step.dt, positions_solved);
}

void Island::ApplyForces(const WorldParts& parts, Vec2 gravity, float dt) {
  positions_.resize(bodies.size());
  velocities_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Body& body = parts.bodies[bodies[i]];
    body.sweep.c0 = body.sweep.c;
    body.sweep.a0 = body.sweep.a;
    Vec2 v = body.velocity;
    float w = body.angular_velocity;
    if (body.is_dynamic()) {
      v += dt * (body.gravity_scale * gravity + body.inverse_mass * body.force);
      w += dt * body.inverse_inertia * body.torque;
      v *= Clamp(1.0f - dt * body.linear_damping, 0.0f, 1.0f);
      w *= Clamp(1.0f - dt * body.angular_damping, 0.0f, 1.0f);
    }
    positions_[i] = {body.sweep.c, body.sweep.a, body.transform.q, body.sweep.a};
    velocities_[i] = {v, w};
  }
}

void Island::SolveVelocities(int iterations, bool skips_settled) {
  settled_.clear();
  for (int i = 0; i < iterations; ++i) {
    joint_solver_.SolveVelocities(velocities_);
    contact_solver_.SolveVelocities(velocities_);
    if (skips_settled && IsSettled()) return;
  }
}

// Whether the latest iteration has changed no velocity and no impulse. Then no further iteration
// would change one, because an iteration depends on nothing else.
bool Island::IsSettled() {
  std::size_t at = 0;
  bool settled = true;
  const auto look = [&](float value) {
    if (at == settled_.size()) {
      settled_.push_back(value);
      settled = false;
    } else if (std::memcmp(&settled_[at], &value, sizeof(value)) != 0) {
      settled_[at] = value;
      settled = false;
    }
    ++at;
  };
  for (const Velocity& velocity : velocities_) {
    look(velocity.v.x);
    look(velocity.v.y);
    look(velocity.w);
  }
  for (const JointConstraint& joint : joint_solver_.constraints()) {
    look(joint.impulse.x);
    look(joint.impulse.y);
    look(joint.limit_impulse);
    look(joint.motor_impulse);
  }
  for (const ContactVelocity& contact : contact_solver_.velocities()) {
    for (int i = 0; i < contact.count; ++i) {
      look(contact.points[i].normal_impulse);
      look(contact.points[i].tangent_impulse);
    }
  }
  return settled;
}

void Island::MoveBodies(float dt) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Velocity& velocity = velocities_[i];
    const Vec2 translation = dt * velocity.v;
    if (Dot(translation, translation) > kMaxTranslation * kMaxTranslation) {
      velocity.v *= kMaxTranslation / Length(translation);
    }
    const float rotation = dt * velocity.w;
    if (rotation * rotation > kMaxRotation * kMaxRotation) {
      velocity.w *= kMaxRotation / Abs(rotation);
    }
    positions_[i].c += dt * velocity.v;
    positions_[i].a += dt * velocity.w;
  }
}

bool Island::SolvePositions(int iterations) {
  for (int i = 0; i < iterations; ++i) {
    const bool contacts_solved = contact_solver_.SolvePositions(positions_);
    const bool joints_solved = joint_solver_.SolvePositions(positions_);
    if (contacts_solved && joints_solved) return true;
  }
  return false;
}

void Island::WriteBack(const WorldParts& parts) const {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Body& body = parts.bodies[bodies[i]];
    Position position = positions_[i];
    body.sweep.c = position.c;
    body.sweep.a = position.a;
    body.velocity = velocities_[i].v;
    body.angular_velocity = velocities_[i].w;
    body.transform = position.At(body.sweep.local_center);
  }
}

// All bodies of an island fall asleep when each has been slow for long enough.
void Island::UpdateSleep(const WorldParts& parts, float dt, bool positions_solved) const {
  constexpr float kLinear = kLinearSleepSpeed * kLinearSleepSpeed;
  constexpr float kAngular = kAngularSleepSpeed * kAngularSleepSpeed;
  float least = kMaxFloat;
  for (const BodyId id : bodies) {
    Body& body = parts.bodies[id];
    if (body.is_static()) continue;
    if (!body.allow_sleep || body.angular_velocity * body.angular_velocity > kAngular ||
        Dot(body.velocity, body.velocity) > kLinear) {
      body.sleep_time = 0.0f;
      least = 0.0f;
    } else {
      body.sleep_time += dt;
      least = Min(least, body.sleep_time);
    }
  }
  if (!(least >= kTimeToSleep) || !positions_solved) return;
  for (const BodyId id : bodies) parts.bodies[id].SetAwake(false);
}

void Island::SolveImpact(const WorldParts& parts, const StepSize& step, int a, int b) {
  positions_.resize(bodies.size());
  velocities_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = parts.bodies[bodies[i]];
    positions_[i] = {body.sweep.c, body.sweep.a, body.transform.q, body.sweep.a};
    velocities_[i] = {body.velocity, body.angular_velocity};
  }
  // The impulses of the previous step have been applied already.
  contact_solver_.Begin(parts.bodies, parts.fixtures, parts.contacts, contacts, std::nullopt);
  for (int i = 0; i < step.position_iterations; ++i) {
    if (contact_solver_.SolveImpactPositions(positions_, a, b)) break;
  }
  for (const int index : {a, b}) {
    Sweep& sweep = parts.bodies[bodies[index]].sweep;
    sweep.c0 = positions_[index].c;
    sweep.a0 = positions_[index].a;
  }
  contact_solver_.Prepare(positions_, velocities_);
  for (int i = 0; i < step.velocity_iterations; ++i) contact_solver_.SolveVelocities(velocities_);
  MoveBodies(step.dt);
  WriteBack(parts);
}

}  // namespace engine::physics2d
