// Contacts: determines which pairs of fixtures have one, and where they touch.
#include <cmath>
#include <utility>

#include "engine/physics2d/collide.h"
#include "engine/physics2d/distance.h"
#include "engine/physics2d/pool.h"
#include "engine/physics2d/world.h"

namespace engine::physics2d {
namespace {

// Points that existed in the previous step keep their impulses, which the solver starts from.
void KeepImpulses(const Manifold& before, Manifold& now) {
  for (int i = 0; i < now.count; ++i) {
    ManifoldPoint& point = now.points[i];
    point.normal_impulse = 0.0f;
    point.tangent_impulse = 0.0f;
    for (int j = 0; j < before.count; ++j) {
      if (before.points[j].feature == point.feature) {
        point.normal_impulse = before.points[j].normal_impulse;
        point.tangent_impulse = before.points[j].tangent_impulse;
        break;
      }
    }
  }
}

}  // namespace

void World::FindNewContacts() {
  broad_phase_.VisitNewPairs([this](FixtureId a, FixtureId b) { AddPair(a, b); });
}

bool World::HasContact(FixtureId a, FixtureId b) const {
  const BodyId body_a = fixtures_[a].body;
  const BodyId body_b = fixtures_[b].body;
  for (std::int32_t entry = bodies_[body_b].first_contact; entry != kNone;
       entry = NextContact(entry)) {
    if (OtherBody(entry) != body_a) continue;
    const auto [first, second] = ContactOf(entry).fixtures;
    if ((first == a && second == b) || (first == b && second == a)) return true;
  }
  return false;
}

bool World::MayCollide(BodyId a, BodyId b) const {
  if (!bodies_[a].is_dynamic() && !bodies_[b].is_dynamic()) return false;
  for (std::int32_t entry = bodies_[b].first_joint; entry != kNone;) {
    const RevoluteJoint& joint = joints_[entry >> 1];
    if (joint.bodies[(entry & 1) ^ 1] == a && !joint.collide_connected) return false;
    entry = joint.entries[entry & 1].next;
  }
  return true;
}

void World::AddPair(FixtureId a, FixtureId b) {
  const BodyId body_a = fixtures_[a].body;
  const BodyId body_b = fixtures_[b].body;
  if (body_a == body_b || HasContact(a, b) || !MayCollide(body_a, body_b)) return;
  if (!fixtures_[a].filter.Accepts(fixtures_[b].filter)) return;
  const ShapeKind kind_a = fixtures_[a].shape.kind;
  const ShapeKind kind_b = fixtures_[b].shape.kind;
  if (!CanTouch(kind_a, kind_b)) return;
  if (!InContactOrder(kind_a, kind_b)) std::swap(a, b);

  const ContactId id = Take(contacts_, free_contact_, &Contact::next);
  Contact& contact = contacts_[id];
  contact.fixtures = {a, b};
  contact.bodies = {fixtures_[a].body, fixtures_[b].body};
  contact.friction = std::sqrt(fixtures_[a].friction * fixtures_[b].friction);
  contact.restitution = Max(fixtures_[a].restitution, fixtures_[b].restitution);
  contact.next = first_contact_;
  if (first_contact_ != kNone) contacts_[first_contact_].previous = id;
  first_contact_ = id;
  Link(contacts_, bodies_[contact.bodies[0]].first_contact, 2 * id);
  Link(contacts_, bodies_[contact.bodies[1]].first_contact, 2 * id + 1);
  if (!fixtures_[a].sensor && !fixtures_[b].sensor) {
    bodies_[contact.bodies[0]].SetAwake(true);
    bodies_[contact.bodies[1]].SetAwake(true);
  }
}

void World::DestroyContact(ContactId id, ContactListener* listener) {
  Contact& contact = contacts_[id];
  if (listener != nullptr && contact.touching) listener->EndContact(contact);
  if (contact.previous != kNone) {
    contacts_[contact.previous].next = contact.next;
  } else {
    first_contact_ = contact.next;
  }
  if (contact.next != kNone) contacts_[contact.next].previous = contact.previous;
  for (const int side : {0, 1}) {
    Body& body = bodies_[contact.bodies[side]];
    Unlink(contacts_, body.first_contact, 2 * id + side);
    if (contact.manifold.count > 0) body.SetAwake(true);
  }
  Release(contacts_, free_contact_, &Contact::next, id);
}

// Whether a contact that is to be filtered again may stay.
bool World::StillPairs(const Contact& contact) const {
  const auto [a, b] = contact.fixtures;
  return MayCollide(contact.bodies[0], contact.bodies[1]) &&
         fixtures_[a].filter.Accepts(fixtures_[b].filter);
}

void World::UpdateContacts(ContactListener* listener) {
  for (ContactId id = first_contact_; id != kNone;) {
    Contact& contact = contacts_[id];
    const ContactId this_id = id;
    id = contact.next;
    if (contact.needs_filtering) {
      if (!StillPairs(contact)) {
        DestroyContact(this_id, listener);
        continue;
      }
      contact.needs_filtering = false;
    }
    if (!bodies_[contact.bodies[0]].is_active() && !bodies_[contact.bodies[1]].is_active())
      continue;
    if (broad_phase_.MayTouch(fixtures_[contact.fixtures[0]].leaf,
                              fixtures_[contact.fixtures[1]].leaf)) {
      UpdateContact(contact, listener);
    } else {
      DestroyContact(this_id, listener);
    }
  }
}

void World::UpdateContact(Contact& contact, ContactListener* listener) {
  const Fixture& a = fixtures_[contact.fixtures[0]];
  const Fixture& b = fixtures_[contact.fixtures[1]];
  Body& body_a = bodies_[contact.bodies[0]];
  Body& body_b = bodies_[contact.bodies[1]];
  const bool was_touching = contact.touching;
  contact.enabled = true;
  if (a.sensor || b.sensor) {
    contact.touching = Touch(a.shape, body_a.transform, b.shape, body_b.transform);
    contact.manifold.count = 0;
  } else {
    const Manifold before = contact.manifold;
    Collide(a.shape, body_a.transform, b.shape, body_b.transform, contact.manifold);
    contact.touching = contact.manifold.count > 0;
    KeepImpulses(before, contact.manifold);
    if (contact.touching != was_touching) {
      body_a.SetAwake(true);
      body_b.SetAwake(true);
    }
  }
  if (listener == nullptr || contact.touching == was_touching) return;
  if (contact.touching) {
    listener->BeginContact(contact);
  } else {
    listener->EndContact(contact);
  }
}

}  // namespace engine::physics2d
