// Creates, changes and destroys the parts of a world. The order of the lists affects results: the
// newest element comes first.
#include "engine/physics2d/world.h"

#include <algorithm>

#include "engine/physics2d/constants.h"
#include "engine/physics2d/pool.h"

namespace engine::physics2d {
void World::Clear() {
  bodies_.clear();
  fixtures_.clear();
  contacts_.clear();
  joints_.clear();
  first_body_ = first_contact_ = kNone;
  free_body_ = free_fixture_ = free_contact_ = free_joint_ = kNone;
  inverse_dt_ = 0.0f;
  has_new_fixture_ = false;
  broad_phase_.Clear();
}

std::size_t World::num_bodies() const {
  return static_cast<std::size_t>(
      std::count_if(bodies_.begin(), bodies_.end(), [](const Body& body) { return body.alive; }));
}

BodyId World::CreateBody(const BodyDef& def) {
  const BodyId id = Take(bodies_, free_body_, &Body::next);
  Body& body = bodies_[id];
  body.alive = true;
  body.type = def.type;
  body.awake = def.awake;
  body.allow_sleep = def.allow_sleep;
  body.fixed_rotation = def.fixed_rotation;
  body.bullet = def.bullet;
  body.transform = {def.position, Rotation::FromAngle(def.angle)};
  body.sweep.c0 = body.sweep.c = def.position;
  body.sweep.a0 = body.sweep.a = def.angle;
  body.velocity = def.velocity;
  body.angular_velocity = def.angular_velocity;
  body.linear_damping = def.linear_damping;
  body.angular_damping = def.angular_damping;
  body.gravity_scale = def.gravity_scale;
  body.mass = body.inverse_mass = body.is_dynamic() ? 1.0f : 0.0f;
  body.user_data = def.user_data;
  if (!body.is_static()) {
    body.next = first_body_;
    if (first_body_ != kNone) bodies_[first_body_].previous = id;
    first_body_ = id;
  }
  return id;
}

void World::DestroyBody(BodyId id, ContactListener* listener) {
  Body& body = Find(id);
  while (body.first_joint != kNone) DestroyJoint(body.first_joint >> 1);
  while (body.first_contact != kNone) DestroyContact(body.first_contact >> 1, listener);
  while (body.first_fixture != kNone) {
    const FixtureId fixture = body.first_fixture;
    body.first_fixture = fixtures_[fixture].next;
    DropFixture(fixture);
  }
  if (!body.is_static()) {
    if (body.previous != kNone) {
      bodies_[body.previous].next = body.next;
    } else {
      first_body_ = body.next;
    }
    if (body.next != kNone) bodies_[body.next].previous = body.previous;
  }
  Release(bodies_, free_body_, &Body::next, id);
}

FixtureId World::CreateFixture(BodyId body_id, const FixtureDef& def) {
  Body& body = Find(body_id);
  const FixtureId id = Take(fixtures_, free_fixture_, &Fixture::next);
  Fixture& fixture = fixtures_[id];
  fixture.shape = def.shape;
  fixture.body = body_id;
  fixture.density = def.density;
  fixture.friction = def.friction;
  fixture.restitution = def.restitution;
  fixture.filter = def.filter;
  fixture.sensor = def.sensor;
  fixture.user_data = def.user_data;
  fixture.leaf = broad_phase_.Insert(def.shape.BoundsAt(body.transform), id);
  fixture.next = body.first_fixture;
  body.first_fixture = id;
  if (def.density > 0.0f) ResetMass(body);
  has_new_fixture_ = true;
  return id;
}

void World::DropFixture(FixtureId id) {
  broad_phase_.Remove(fixtures_[id].leaf);
  Release(fixtures_, free_fixture_, &Fixture::next, id);
}

void World::DestroyFixture(FixtureId id, ContactListener* listener) {
  Body& body = Find(fixture(id).body);
  FixtureId* link = &body.first_fixture;
  while (*link != id) link = &fixtures_[*link].next;
  *link = fixtures_[id].next;
  for (std::int32_t entry = body.first_contact; entry != kNone;) {
    const Contact& contact = ContactOf(entry);
    const ContactId contact_id = entry >> 1;
    entry = NextContact(entry);
    if (contact.fixtures[0] == id || contact.fixtures[1] == id)
      DestroyContact(contact_id, listener);
  }
  DropFixture(id);
  ResetMass(body);
}

// Sums mass, centre of mass and inertia over all fixtures.
void World::ResetMass(Body& body) {
  body.mass = body.inverse_mass = body.inertia = body.inverse_inertia = 0.0f;
  body.sweep.local_center = {};
  if (!body.is_dynamic()) {
    body.sweep.c0 = body.sweep.c = body.transform.p;
    body.sweep.a0 = body.sweep.a;
    return;
  }
  Vec2 center;
  for (FixtureId id = body.first_fixture; id != kNone; id = fixtures_[id].next) {
    const Fixture& fixture = fixtures_[id];
    if (fixture.density == 0.0f) continue;
    const MassData data = fixture.shape.MassOf(fixture.density);
    body.mass += data.mass;
    center += data.mass * data.center;
    body.inertia += data.inertia;
  }
  if (body.mass > 0.0f) {
    body.inverse_mass = 1.0f / body.mass;
    center *= body.inverse_mass;
  } else {
    body.mass = body.inverse_mass = 1.0f;
  }
  if (body.inertia > 0.0f && !body.fixed_rotation) {
    body.inertia -= body.mass * Dot(center, center);
    body.inverse_inertia = 1.0f / body.inertia;
  } else {
    body.inertia = 0.0f;
  }
  const Vec2 old_center = body.sweep.c;
  body.sweep.local_center = center;
  body.sweep.c0 = body.sweep.c = Apply(body.transform, center);
  body.velocity += Cross(body.angular_velocity, body.sweep.c - old_center);
}

JointId World::CreateJoint(const RevoluteJointDef& def) {
  ENGINE_CHECK(Has(def.body_a) && Has(def.body_b) && def.body_a != def.body_b);
  const JointId id = Take(joints_, free_joint_, &RevoluteJoint::next_free);
  RevoluteJoint& joint = joints_[id];
  joint.bodies = {def.body_a, def.body_b};
  joint.anchors = {def.anchor_a, def.anchor_b};
  joint.reference_angle = def.reference_angle;
  joint.enable_limit = def.enable_limit;
  joint.lower_angle = def.lower_angle;
  joint.upper_angle = def.upper_angle;
  joint.enable_motor = def.enable_motor;
  joint.motor_speed = def.motor_speed;
  joint.max_motor_torque = def.max_motor_torque;
  joint.collide_connected = def.collide_connected;
  Link(joints_, bodies_[def.body_a].first_joint, 2 * id);
  Link(joints_, bodies_[def.body_b].first_joint, 2 * id + 1);
  if (!joint.collide_connected) FlagForFiltering(def.body_a, def.body_b);
  return id;
}

void World::DestroyJoint(JointId id) {
  const RevoluteJoint joint = this->joint(id);
  const auto [a, b] = joint.bodies;
  bodies_[a].SetAwake(true);
  bodies_[b].SetAwake(true);
  Unlink(joints_, bodies_[a].first_joint, 2 * id);
  Unlink(joints_, bodies_[b].first_joint, 2 * id + 1);
  Release(joints_, free_joint_, &RevoluteJoint::next_free, id);
  if (!joint.collide_connected) FlagForFiltering(a, b);
}

// Flags the contacts of the two bodies, so that the next step filters them again.
void World::FlagForFiltering(BodyId a, BodyId b) {
  for (std::int32_t entry = bodies_[b].first_contact; entry != kNone; entry = NextContact(entry)) {
    if (OtherBody(entry) == a) ContactOf(entry).needs_filtering = true;
  }
}

void World::ApplyForceToCenter(BodyId id, Vec2 force, bool wake) {
  Body& body = Find(id);
  if (!body.is_dynamic()) return;
  if (wake) body.SetAwake(true);
  if (body.awake) body.force += force;
}

void World::ApplyForce(BodyId id, Vec2 force, Vec2 point, bool wake) {
  Body& body = Find(id);
  if (!body.is_dynamic()) return;
  if (wake) body.SetAwake(true);
  if (!body.awake) return;
  body.force += force;
  body.torque += Cross(point - body.sweep.c, force);
}

void World::ApplyTorque(BodyId id, float torque, bool wake) {
  Body& body = Find(id);
  if (!body.is_dynamic()) return;
  if (wake) body.SetAwake(true);
  if (body.awake) body.torque += torque;
}

void World::ApplyLinearImpulse(BodyId id, Vec2 impulse, Vec2 point, bool wake) {
  Body& body = Find(id);
  if (!body.is_dynamic()) return;
  if (wake) body.SetAwake(true);
  if (!body.awake) return;
  body.velocity += body.inverse_mass * impulse;
  body.angular_velocity += body.inverse_inertia * Cross(point - body.sweep.c, impulse);
}

void World::ApplyAngularImpulse(BodyId id, float impulse, bool wake) {
  Body& body = Find(id);
  if (!body.is_dynamic()) return;
  if (wake) body.SetAwake(true);
  if (body.awake) body.angular_velocity += body.inverse_inertia * impulse;
}

void World::SetVelocity(BodyId id, Vec2 velocity) {
  Body& body = Find(id);
  if (body.is_static()) return;
  if (Dot(velocity, velocity) > 0.0f) body.SetAwake(true);
  body.velocity = velocity;
}

void World::SetAngularVelocity(BodyId id, float velocity) {
  Body& body = Find(id);
  if (body.is_static()) return;
  if (velocity * velocity > 0.0f) body.SetAwake(true);
  body.angular_velocity = velocity;
}

void World::SetTransform(BodyId id, Vec2 position, float angle) {
  Body& body = Find(id);
  body.transform = {position, Rotation::FromAngle(angle)};
  body.sweep.c0 = body.sweep.c = Apply(body.transform, body.sweep.local_center);
  body.sweep.a0 = body.sweep.a = angle;
  MoveFixtures(body, body.transform, body.transform);
  FindNewContacts();
}

void World::SetSensor(FixtureId id, bool sensor) {
  if (fixture(id).sensor == sensor) return;
  bodies_[fixtures_[id].body].SetAwake(true);
  fixtures_[id].sensor = sensor;
}

float World::JointAngle(JointId id) const {
  const RevoluteJoint& j = joint(id);
  return bodies_[j.bodies[1]].sweep.a - bodies_[j.bodies[0]].sweep.a - j.reference_angle;
}

float World::JointSpeed(JointId id) const {
  const RevoluteJoint& j = joint(id);
  return bodies_[j.bodies[1]].angular_velocity - bodies_[j.bodies[0]].angular_velocity;
}

void World::SetMotorSpeed(JointId id, float speed) {
  RevoluteJoint& j = FindJoint(id);
  for (const BodyId body : j.bodies) bodies_[body].SetAwake(true);
  j.motor_speed = speed;
}

void World::SetMaxMotorTorque(JointId id, float torque) {
  RevoluteJoint& j = FindJoint(id);
  for (const BodyId body : j.bodies) bodies_[body].SetAwake(true);
  j.max_motor_torque = torque;
}

void World::SynchronizeFixtures(const Body& body) {
  Transform start;
  start.q = Rotation::FromAngle(body.sweep.a0);
  start.p = body.sweep.c0 - Rotate(start.q, body.sweep.local_center);
  MoveFixtures(body, start, body.transform);
}

// Sets the boxes of the fixtures' leaves to cover the whole motion.
void World::MoveFixtures(const Body& body, const Transform& from, const Transform& to) {
  const Vec2 displacement = to.p - from.p;
  for (FixtureId id = body.first_fixture; id != kNone; id = fixtures_[id].next) {
    const Fixture& fixture = fixtures_[id];
    const Box box = Union(fixture.shape.BoundsAt(from), fixture.shape.BoundsAt(to));
    broad_phase_.Move(fixture.leaf, box, displacement);
  }
}

}  // namespace engine::physics2d
