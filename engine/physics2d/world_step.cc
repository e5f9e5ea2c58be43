// A step of the world: contacts, then islands one by one, then impacts within the step.
#include <cstddef>

#include "engine/physics2d/world.h"

namespace engine::physics2d {

void World::Step(float dt, int velocity_iterations, int position_iterations,
                 ContactListener* listener) {
  if (has_new_fixture_) {
    FindNewContacts();
    has_new_fixture_ = false;
  }
  const StepSize step{dt, inverse_dt_ * dt, velocity_iterations, position_iterations};
  UpdateContacts(listener);
  if (dt > 0.0f) {
    SolveIslands(step);
    SolveImpacts(step, listener);
    inverse_dt_ = 1.0f / dt;
  }
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) {
    bodies_[id].force = {};
    bodies_[id].torque = 0.0f;
  }
}

void World::SolveIslands(const StepSize& step) {
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) bodies_[id].in_island = false;
  for (ContactId id = first_contact_; id != kNone; id = contacts_[id].next) {
    contacts_[id].in_island = false;
  }
  for (RevoluteJoint& joint : joints_) joint.in_island = false;

  for (BodyId seed = first_body_; seed != kNone; seed = bodies_[seed].next) {
    if (bodies_[seed].in_island || !bodies_[seed].awake) continue;
    CollectIsland(seed);
    island_.Solve({bodies_, fixtures_, contacts_, joints_}, gravity_, step, skips_settled_);
    // Static bodies may be in several islands.
    for (const BodyId id : island_.bodies) {
      if (bodies_[id].is_static()) bodies_[id].in_island = false;
    }
  }
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) {
    if (bodies_[id].in_island) SynchronizeFixtures(bodies_[id]);
  }
  FindNewContacts();
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
