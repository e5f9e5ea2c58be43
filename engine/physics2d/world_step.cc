// A step of the world: contacts, then islands one by one, then impacts within the step.
#include <cstddef>

#include "engine/physics2d/world.h"

namespace engine::physics2d {

void World::Step(float dt, int velocity_iterations, int position_iterations,
                 ContactListener* listener) {
  Island* island = BeginStep(dt, velocity_iterations, position_iterations, listener);
  while (island != nullptr) {
    island->SolveVelocities(velocity_iterations, skips_settled_);
    island = ContinueStep(listener);
  }
}

Island* World::BeginStep(float dt, int velocity_iterations, int position_iterations,
                         ContactListener* listener) {
  if (has_new_fixture_) {
    FindNewContacts();
    has_new_fixture_ = false;
  }
  step_ = {dt, inverse_dt_ * dt, velocity_iterations, position_iterations};
  UpdateContacts(listener);
  if (!(dt > 0.0f)) {
    ClearForces();
    return nullptr;
  }
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) bodies_[id].in_island = false;
  for (ContactId id = first_contact_; id != kNone; id = contacts_[id].next) {
    contacts_[id].in_island = false;
  }
  for (RevoluteJoint& joint : joints_) joint.in_island = false;
  seed_ = first_body_;
  return NextIsland(listener);
}

Island* World::ContinueStep(ContactListener* listener) {
  island_.End({bodies_, fixtures_, contacts_, joints_}, step_);
  // Static bodies may be in several islands.
  for (const BodyId id : island_.bodies) {
    if (bodies_[id].is_static()) bodies_[id].in_island = false;
  }
  seed_ = bodies_[seed_].next;
  return NextIsland(listener);
}

// Collects and begins the next island; after the last one, ends the step and returns null.
Island* World::NextIsland(ContactListener* listener) {
  for (; seed_ != kNone; seed_ = bodies_[seed_].next) {
    if (bodies_[seed_].in_island || !bodies_[seed_].awake) continue;
    CollectIsland(seed_);
    island_.Begin({bodies_, fixtures_, contacts_, joints_}, gravity_, step_);
    return &island_;
  }
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) {
    if (bodies_[id].in_island) SynchronizeFixtures(bodies_[id]);
  }
  FindNewContacts();
  SolveImpacts(step_, listener);
  inverse_dt_ = 1.0f / step_.dt;
  ClearForces();
  return nullptr;
}

void World::ClearForces() {
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) {
    bodies_[id].force = {};
    bodies_[id].torque = 0.0f;
  }
}

// Depth-first search over contacts and joints. Static bodies do not connect other bodies.
void World::CollectIsland(BodyId seed) {
  island_.Clear();
  stack_.clear();
  stack_.push_back(seed);
  bodies_[seed].in_island = true;
  while (!stack_.empty()) {
    const BodyId id = stack_.back();
    stack_.pop_back();
    Body& body = bodies_[id];
    island_.Add(id, body);
    body.awake = true;  // sleep_time is unchanged
    if (body.is_static()) continue;
    CollectContacts(body);
    CollectJoints(body);
  }
}

void World::CollectContacts(const Body& body) {
  for (std::int32_t entry = body.first_contact; entry != kNone; entry = NextContact(entry)) {
    Contact& contact = ContactOf(entry);
    if (contact.in_island || !contact.enabled || !contact.touching) continue;
    if (fixtures_[contact.fixtures[0]].sensor || fixtures_[contact.fixtures[1]].sensor) continue;
    island_.contacts.push_back(entry >> 1);
    contact.in_island = true;
    const BodyId other = OtherBody(entry);
    if (bodies_[other].in_island) continue;
    stack_.push_back(other);
    bodies_[other].in_island = true;
  }
}

void World::CollectJoints(const Body& body) {
  for (std::int32_t entry = body.first_joint; entry != kNone;) {
    RevoluteJoint& joint = joints_[entry >> 1];
    const BodyId other = joint.bodies[(entry & 1) ^ 1];
    const JointId id = entry >> 1;
    entry = joint.entries[entry & 1].next;
    if (joint.in_island) continue;
    island_.joints.push_back(id);
    joint.in_island = true;
    if (bodies_[other].in_island) continue;
    stack_.push_back(other);
    bodies_[other].in_island = true;
  }
}

}  // namespace engine::physics2d
