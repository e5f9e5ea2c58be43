// Checks of a loaded world: its numbers are those of existing elements, and its lists end. A world
// that passes never accesses memory outside its elements, whatever its positions and speeds are.
#include <algorithm>
#include <cstddef>
#include <string>

#include "engine/base/copied_bool.h"
#include "engine/base/error.h"
#include "engine/physics2d/collide.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/world.h"

namespace engine::physics2d {
namespace {

void Expect(bool holds, const char* what) {
  if (!holds)
    throw Error(ErrorKind::kState, std::string("the state has ") + what + " of no physics2d world");
}

template <class T>
bool IsIndex(std::int32_t id, const NumberedVector<T>& elements) {
  return static_cast<std::size_t>(id) < elements.size();
}

// Whether the destroyed elements are those that the list of free elements links.
template <class T, class Exists>
bool LinksFree(const NumberedVector<T>& elements, std::int32_t first, std::int32_t T::* next,
               const Exists& exists) {
  std::size_t linked = 0;
  for (std::int32_t id = first; id != kNone; id = elements[static_cast<std::size_t>(id)].*next) {
    if (!IsIndex(id, elements) || exists(elements[static_cast<std::size_t>(id)]) ||
        ++linked > elements.size()) {
      return false;
    }
  }
  return linked ==
         static_cast<std::size_t>(std::count_if(
             elements.begin(), elements.end(), [&](const T& element) { return !exists(element); }));
}

// The number of entries in a body's list of contacts or joints, or -1 if the list is not one. Each
// entry names the one before it, so the list ends.
template <class T>
std::ptrdiff_t CountEntries(const NumberedVector<T>& elements, std::int32_t first, BodyId body) {
  std::ptrdiff_t count = 0;
  std::int32_t previous = kNone;
  for (std::int32_t entry = first; entry != kNone; ++count) {
    if (entry < 0 || !IsIndex(entry >> 1, elements)) return -1;
    const T& element = elements[static_cast<std::size_t>(entry >> 1)];
    const auto side = static_cast<std::size_t>(entry & 1);
    if (element.bodies[side] != body || element.entries[side].previous != previous) return -1;
    previous = entry;
    entry = element.entries[side].next;
  }
  return count;
}

// Far larger than any quantity of a world; false for NaN.
constexpr float kGreatest = 1e6f;
bool IsSmall(float x) { return -kGreatest <= x && x <= kGreatest; }
bool IsSmall(Vec2 v) { return IsSmall(v.x) && IsSmall(v.y); }
template <class... Values>
bool AreSmall(Values... values) {
  return (IsSmall(values) && ...);
}

// Boxes that are very large, or no numbers, overlap all others: a step with them takes very long.
bool IsSmall(const Body& body) {
  const Sweep& sweep = body.sweep;
  return AreSmall(body.transform.p, body.transform.q.s, body.transform.q.c, sweep.local_center,
                  sweep.c0, sweep.c, sweep.a0, sweep.a, sweep.alpha0, body.velocity,
                  body.angular_velocity, body.force, body.torque, body.inverse_mass,
                  body.inverse_inertia);
}

bool IsShape(const Shape& shape) {
  if (!IsSmall(shape.radius) || !std::all_of(shape.vertices.begin(), shape.vertices.end(),
                                             [](Vec2 vertex) { return IsSmall(vertex); })) {
    return false;
  }
  switch (shape.kind) {
    case ShapeKind::kCircle:
      return shape.count == 1;
    case ShapeKind::kEdge:
      return shape.count == 2;
    case ShapeKind::kPolygon:
      return 3 <= shape.count && shape.count <= kMaxPolygonVertices;
  }
  return false;
}

}  // namespace

void World::Check() const {
  CheckBodies();
  CheckFixtures();
  CheckContacts();
  CheckJoints();
  CheckTree();
}

void World::CheckBodies() const {
  std::size_t moving = 0;
  for (const Body& body : bodies_) {
    Expect(AreBools(body.alive, body.awake, body.allow_sleep, body.fixed_rotation, body.bullet,
                    body.in_island) &&
               body.type <= BodyType::kDynamic,
           "a body");
    if (!body.alive) continue;
    Expect(IsSmall(body), "a position or a speed");
    // A step clears the mark of the other bodies.
    Expect(!body.is_static() || !body.in_island, "a static body in an island");
    if (!body.is_static()) ++moving;
  }
  Expect(LinksFree(bodies_, free_body_, &Body::next, [](const Body& body) { return body.alive; }),
         "a list of free bodies");
  BodyId previous = kNone;
  for (BodyId id = first_body_; id != kNone; id = bodies_[id].next) {
    Expect(Has(id) && !bodies_[id].is_static() && bodies_[id].previous == previous,
           "a list of bodies");
    previous = id;
    --moving;
  }
  Expect(moving == 0, "a list of bodies");
}

void World::CheckFixtures() const {
  std::size_t existing = 0;
  for (const Fixture& fixture : fixtures_) {
    Expect(IsBool(fixture.sensor), "a fixture");
    if (fixture.body == kNone) continue;
    ++existing;
    Expect(Has(fixture.body) && IsShape(fixture.shape), "a fixture");
  }
  Expect(LinksFree(fixtures_, free_fixture_, &Fixture::next,
                   [](const Fixture& fixture) { return fixture.body != kNone; }),
         "a list of free fixtures");
  std::size_t listed = 0;
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    if (!bodies_[body].alive) continue;
    for (FixtureId id = bodies_[body].first_fixture; id != kNone; id = fixtures_[id].next) {
      Expect(IsIndex(id, fixtures_) && fixtures_[id].body == static_cast<BodyId>(body) &&
                 ++listed <= existing,
             "a body's list of fixtures");
    }
  }
  Expect(listed == existing, "a body's list of fixtures");
}

void World::CheckContacts() const {
  std::ptrdiff_t existing = 0;
  for (const Contact& contact : contacts_) {
    Expect(AreBools(contact.touching, contact.enabled, contact.in_island, contact.needs_filtering,
                    contact.has_impact) &&
               0 <= contact.manifold.count && contact.manifold.count <= kMaxManifoldPoints,
           "a contact");
    if (contact.fixtures[0] == kNone) {
      Expect(contact.bodies[0] == kNone && contact.bodies[1] == kNone, "a destroyed contact");
      continue;
    }
    ++existing;
    for (const int side : {0, 1}) {
      const FixtureId fixture = contact.fixtures[side];
      Expect(IsIndex(fixture, fixtures_) && Has(contact.bodies[side]) &&
                 fixtures_[fixture].body == contact.bodies[side],
             "a contact");
    }
    const ShapeKind a = fixtures_[contact.fixtures[0]].shape.kind;
    const ShapeKind b = fixtures_[contact.fixtures[1]].shape.kind;
    Expect(contact.bodies[0] != contact.bodies[1] && CanTouch(a, b) && InContactOrder(a, b),
           "a contact");
  }
  Expect(LinksFree(contacts_, free_contact_, &Contact::next,
                   [](const Contact& contact) { return contact.fixtures[0] != kNone; }),
         "a list of free contacts");
  std::ptrdiff_t listed = 0;
  ContactId previous = kNone;
  for (ContactId id = first_contact_; id != kNone; id = contacts_[id].next) {
    Expect(IsIndex(id, contacts_) && contacts_[id].fixtures[0] != kNone &&
               contacts_[id].previous == previous,
           "a list of contacts");
    previous = id;
    ++listed;
  }
  Expect(listed == existing, "a list of contacts");
  std::ptrdiff_t entries = 0;
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    if (!bodies_[body].alive) continue;
    const std::ptrdiff_t count =
        CountEntries(contacts_, bodies_[body].first_contact, static_cast<BodyId>(body));
    Expect(count >= 0, "a body's list of contacts");
    entries += count;
  }
  Expect(entries == 2 * existing, "a body's list of contacts");
}

void World::CheckJoints() const {
  std::ptrdiff_t existing = 0;
  for (const RevoluteJoint& joint : joints_) {
    Expect(AreBools(joint.enable_limit, joint.enable_motor, joint.collide_connected,
                    joint.in_island) &&
               joint.limit_state <= LimitState::kEqual,
           "a joint");
    if (joint.bodies[0] == kNone) {
      Expect(joint.bodies[1] == kNone, "a destroyed joint");
      continue;
    }
    ++existing;
    Expect(Has(joint.bodies[0]) && Has(joint.bodies[1]) && joint.bodies[0] != joint.bodies[1],
           "a joint");
  }
  Expect(LinksFree(joints_, free_joint_, &RevoluteJoint::next_free,
                   [](const RevoluteJoint& joint) { return joint.bodies[0] != kNone; }),
         "a list of free joints");
  std::ptrdiff_t entries = 0;
  for (std::size_t body = 0; body < bodies_.size(); ++body) {
    if (!bodies_[body].alive) continue;
    const std::ptrdiff_t count =
        CountEntries(joints_, bodies_[body].first_joint, static_cast<BodyId>(body));
    Expect(count >= 0, "a body's list of joints");
    entries += count;
  }
  Expect(entries == 2 * existing, "a body's list of joints");
}

void World::CheckTree() const {
  const auto existing = static_cast<std::size_t>(
      std::count_if(fixtures_.begin(), fixtures_.end(),
                    [](const Fixture& fixture) { return fixture.body != kNone; }));
  const auto owns = [this](FixtureId id, std::int32_t leaf) {
    return IsIndex(id, fixtures_) && fixtures_[id].body != kNone && fixtures_[id].leaf == leaf;
  };
  Expect(broad_phase_.IsConsistent(existing, owns), "a tree of boxes");
}

}  // namespace engine::physics2d
