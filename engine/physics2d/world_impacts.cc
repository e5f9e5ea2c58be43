// Impacts within a step (continuous collision): bodies that would pass through static or kinematic
// bodies, or bullets through any, are stopped at the time at which they touch.

#include "engine/physics2d/constants.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/time_of_impact.h"
#include "engine/physics2d/world.h"

namespace engine::physics2d {

void World::SolveImpacts(const StepSize& step, ContactListener* listener) {
  if (first_contact_ == kNone) return;
  BeginImpacts();
  while (true) {
    float alpha = 1.0f;
    const ContactId id = FirstImpact(alpha);
    if (id == kNone || 1.0f - 10.0f * kEpsilon < alpha) break;
    Contact& contact = contacts_[id];
    const auto [a, b] = contact.bodies;
    const NumberedArray<Sweep, 2> before{bodies_[a].sweep, bodies_[b].sweep};
    AdvanceTo(a, alpha);
    AdvanceTo(b, alpha);
    UpdateContact(contact, listener);
    contact.has_impact = false;
    ++contact.sub_steps;
    if (!contact.touching) {
      contact.enabled = false;
      bodies_[a].sweep = before[0];
      bodies_[b].sweep = before[1];
      bodies_[a].UpdateTransform();
      bodies_[b].UpdateTransform();
      continue;
    }
    bodies_[a].SetAwake(true);
    bodies_[b].SetAwake(true);
    CollectImpact(id, alpha, listener);
    const StepSize rest{(1.0f - alpha) * step.dt, 1.0f, step.velocity_iterations, 20};
    island_.SolveImpact({bodies_, fixtures_, contacts_, joints_}, rest, 0, 1);
    EndImpact();
    FindNewContacts();
  }
  for (const BodyId id : advanced_statics_) bodies_[id].sweep.alpha0 = 0.0f;
  advanced_statics_.clear();
}

void World::BeginImpacts() {
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) {
    bodies_[id].in_island = false;
    bodies_[id].sweep.alpha0 = 0.0f;
  }
  for (ContactId id = first_contact_; id != kNone; id = contacts_[id].next) {
    Contact& contact = contacts_[id];
    contact.has_impact = false;
    contact.in_island = false;
    contact.sub_steps = 0;
    contact.impact = 1.0f;
  }
}

// Returns the contact with the earliest impact before the end of the step, and sets `alpha` to its
// time. Returns kNone if there is no impact.
ContactId World::FirstImpact(float& alpha) {
  ContactId first = kNone;
  for (ContactId id = first_contact_; id != kNone; id = contacts_[id].next) {
    Contact& contact = contacts_[id];
    if (!contact.enabled || contact.sub_steps > kMaxSubSteps) continue;
    if (!contact.has_impact) {
      if (!CanHaveImpact(contact)) continue;
      contact.impact = ImpactOf(contact);
      contact.has_impact = true;
    }
    if (contact.impact < alpha) {
      first = id;
      alpha = contact.impact;
    }
  }
  return first;
}

bool World::CanHaveImpact(const Contact& contact) const {
  if (fixtures_[contact.fixtures[0]].sensor || fixtures_[contact.fixtures[1]].sensor) return false;
  const Body& a = bodies_[contact.bodies[0]];
  const Body& b = bodies_[contact.bodies[1]];
  if (!a.is_active() && !b.is_active()) return false;
  return a.bullet || !a.is_dynamic() || b.bullet || !b.is_dynamic();
}

float World::ImpactOf(Contact& contact) {
  Body& a = bodies_[contact.bodies[0]];
  Body& b = bodies_[contact.bodies[1]];
  // Both sweeps must begin at the same time.
  const float alpha0 = Max(a.sweep.alpha0, b.sweep.alpha0);
  for (const int side : {0, 1}) {
    Body& body = side == 0 ? a : b;
    if (!(body.sweep.alpha0 < alpha0)) continue;
    body.sweep.Advance(alpha0);
    if (body.is_static()) advanced_statics_.push_back(contact.bodies[side]);
  }
  const auto time = TimeOfImpact(fixtures_[contact.fixtures[0]].shape, a.sweep,
                                 fixtures_[contact.fixtures[1]].shape, b.sweep);
  return time ? Min(alpha0 + (1.0f - alpha0) * *time, 1.0f) : 1.0f;
}

void World::AdvanceTo(BodyId id, float alpha) {
  bodies_[id].AdvanceTo(alpha);
  if (bodies_[id].is_static()) advanced_statics_.push_back(id);
}

// Collects the two bodies of the contact, and the other bodies that they touch at that time.
void World::CollectImpact(ContactId id, float alpha, ContactListener* listener) {
  island_.Clear();
  const auto bodies = contacts_[id].bodies;
  for (const BodyId body : bodies) {
    island_.Add(body, bodies_[body]);
    bodies_[body].in_island = true;
  }
  island_.contacts.push_back(id);
  contacts_[id].in_island = true;
  for (const BodyId body : bodies) {
    if (bodies_[body].is_dynamic()) CollectImpactContacts(body, alpha, listener);
  }
}

void World::CollectImpactContacts(BodyId id, float alpha, ContactListener* listener) {
  const bool bullet = bodies_[id].bullet;
  for (std::int32_t entry = bodies_[id].first_contact; entry != kNone; entry = NextContact(entry)) {
    if (island_.bodies.size() == 2 * kMaxImpactContacts ||
        island_.contacts.size() == kMaxImpactContacts) {
      return;
    }
    Contact& contact = ContactOf(entry);
    if (contact.in_island) continue;
    const BodyId other_id = OtherBody(entry);
    Body& other = bodies_[other_id];
    if (other.is_dynamic() && !bullet && !other.bullet) continue;
    if (fixtures_[contact.fixtures[0]].sensor || fixtures_[contact.fixtures[1]].sensor) continue;

    const Sweep before = other.sweep;
    if (!other.in_island) AdvanceTo(other_id, alpha);
    UpdateContact(contact, listener);
    if (!contact.touching) {
      other.sweep = before;
      other.UpdateTransform();
      continue;
    }
    contact.in_island = true;
    island_.contacts.push_back(entry >> 1);
    if (other.in_island) continue;
    other.in_island = true;
    if (!other.is_static()) other.SetAwake(true);
    island_.Add(other_id, other);
  }
}

// Updates the boxes of displaced bodies, and marks their impacts to be computed again.
void World::EndImpact() {
  for (const BodyId id : island_.bodies) {
    Body& body = bodies_[id];
    body.in_island = false;
    if (!body.is_dynamic()) continue;
    SynchronizeFixtures(body);
    for (std::int32_t entry = body.first_contact; entry != kNone; entry = NextContact(entry)) {
      ContactOf(entry).has_impact = false;
      ContactOf(entry).in_island = false;
    }
  }
}

}  // namespace engine::physics2d
