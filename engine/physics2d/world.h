// A world of rigid bodies in the plane: the header for environments and plug-ins.
//
//   World world({0.0f, -10.0f});
//   const BodyId ground = world.CreateBody({});
//   world.CreateFixture(ground, {.shape = Shape::Edge({-10.0f, 0.0f}, {10.0f, 0.0f})});
//   const BodyId ball = world.CreateBody({.type = BodyType::kDynamic, .position = {0.0f, 4.0f}});
//   world.CreateFixture(ball, {.shape = Shape::Circle({}, 0.5f), .density = 1.0f});
//   for (int i = 0; i < 50; ++i) world.Step(0.02f, 8, 3);
//   world.body(ball).position();
//
// Results are bitwise equal to those of Box2D 2.3 (the version of Gymnasium's package box2d), for
// the same calls in the same order, on x86-64 and with the same C library. Not supported: other
// kinds of joints, chains of edges, several worlds in one.
//
// A world is a value: a copy continues with equal results, and so does a world that was loaded
// from the state of another world. It is not thread-safe; different worlds may be used on different
// threads. Steps allocate no memory, unless there are more contacts than ever before.
//
// The numbers of destroyed bodies, fixtures and joints are reused. A call with the number of an
// element that does not exist throws Error{kInternal}.
#ifndef ENGINE_PHYSICS2D_WORLD_H_
#define ENGINE_PHYSICS2D_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/check.h"
#include "engine/physics2d/body.h"
#include "engine/physics2d/broad_phase.h"
#include "engine/physics2d/contact.h"
#include "engine/physics2d/fixture.h"
#include "engine/physics2d/geometry.h"
#include "engine/physics2d/island.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/revolute_joint.h"
#include "engine/physics2d/shape.h"

namespace engine::physics2d {

class World {
 public:
  explicit World(Vec2 gravity) : gravity_(gravity) {}  // m/s^2

  // Resets the world to its initial state; keeps the memory.
  void Clear();

  BodyId CreateBody(const BodyDef& def);
  // Also destroys the body's fixtures, contacts and joints.
  void DestroyBody(BodyId id, ContactListener* listener = nullptr);
  FixtureId CreateFixture(BodyId body, const FixtureDef& def);
  void DestroyFixture(FixtureId id, ContactListener* listener = nullptr);
  JointId CreateJoint(const RevoluteJointDef& def);
  void DestroyJoint(JointId id);

  // Advances the world by `dt` seconds, with at most the given numbers of iterations over all
  // constraints for velocities and for positions. Clears forces and torques at the end.
  void Step(float dt, int velocity_iterations, int position_iterations,
            ContactListener* listener = nullptr);
  // The same in parts, so that velocities of several worlds can be solved together
  // (velocity_lanes.h). Each call runs the step up to the velocities of the next island and returns
  // it, or, at the end of the step, null. The caller then solves the velocities and continues.
  // Requires: nothing else is done with the world before the step has ended.
  Island* BeginStep(float dt, int velocity_iterations, int position_iterations,
                    ContactListener* listener = nullptr);
  Island* ContinueStep(ContactListener* listener = nullptr);

  bool Has(BodyId id) const {
    return static_cast<std::size_t>(id) < bodies_.size() && bodies_[id].alive;
  }
  bool HasJoint(JointId id) const {
    return static_cast<std::size_t>(id) < joints_.size() && joints_[id].bodies[0] != kNone;
  }
  std::size_t num_bodies() const;
  const Body& body(BodyId id) const {
    ENGINE_CHECK(Has(id));
    return bodies_[id];
  }
  const Fixture& fixture(FixtureId id) const {
    ENGINE_CHECK(static_cast<std::size_t>(id) < fixtures_.size() && fixtures_[id].body != kNone);
    return fixtures_[id];
  }
  const RevoluteJoint& joint(JointId id) const {
    ENGINE_CHECK(HasJoint(id));
    return joints_[id];
  }
  // Visits the current contacts, in the order of the world's list.
  template <class Visit>
  void VisitContacts(Visit&& visit) const {
    for (ContactId id = first_contact_; id != kNone; id = contacts_[id].next) visit(contacts_[id]);
  }

  // Apply a force or torque to a dynamic body. A sleeping body is woken up if `wake` is true;
  // otherwise the call has no effect on it.
  void ApplyForceToCenter(BodyId id, Vec2 force, bool wake = true);
  void ApplyForce(BodyId id, Vec2 force, Vec2 point, bool wake = true);
  void ApplyTorque(BodyId id, float torque, bool wake = true);
  void ApplyLinearImpulse(BodyId id, Vec2 impulse, Vec2 point, bool wake = true);
  void ApplyAngularImpulse(BodyId id, float impulse, bool wake = true);
  void SetVelocity(BodyId id, Vec2 velocity);
  void SetAngularVelocity(BodyId id, float velocity);
  // New contacts exist immediately, and can touch from the next step on.
  void SetTransform(BodyId id, Vec2 position, float angle);
  void SetAwake(BodyId id, bool awake) { Find(id).SetAwake(awake); }
  // Sets whether the fixture is a sensor.
  void SetSensor(FixtureId id, bool sensor);

  float JointAngle(JointId id) const;  // rad
  float JointSpeed(JointId id) const;  // rad/s
  // SetMotorSpeed and SetMaxMotorTorque wake up both bodies.
  void SetMotorSpeed(JointId id, float speed);
  void SetMaxMotorTorque(JointId id, float torque);

  // Calls visit(fixture id) for all fixtures whose enlarged boxes overlap `box`.
  template <class Visit>
  void Query(const Box& box, Visit&& visit) const {
    broad_phase_.tree().Query(
        box, [&](std::int32_t leaf) { visit(FixtureId{broad_phase_.tree().FixtureOf(leaf)}); });
  }
  // Calls visit(fixture id, hit) for fixtures that the segment from p1 to p2 hits, in no particular
  // order. The result of visit determines the remaining part of the segment: -1: unchanged, 0: ends
  // the cast, hit.fraction: up to this hit, 1: the whole segment.
  template <class Visit>
  void CastRay(Vec2 p1, Vec2 p2, Visit&& visit) const {
    broad_phase_.tree().Cast({p1, p2, 1.0f}, [&](const Ray& ray, std::int32_t leaf) {
      const FixtureId id = broad_phase_.tree().FixtureOf(leaf);
      const Fixture& fixture = fixtures_[id];
      const auto hit = fixture.shape.Cast(ray, bodies_[fixture.body].transform);
      return hit ? visit(id, *hit) : ray.max_fraction;
    });
  }

  // Reserves memory for this many bodies with as many fixtures, and for contacts. A world that does
  // not exceed these numbers allocates no more memory, except for joints.
  void Reserve(std::size_t bodies, std::size_t contacts) {
    bodies_.reserve(bodies);
    fixtures_.reserve(bodies);
    contacts_.reserve(contacts);
    broad_phase_.Reserve(bodies, contacts);
    island_.Reserve(bodies, contacts);
    stack_.reserve(bodies);
    advanced_statics_.reserve(bodies);
  }

  Vec2 gravity() const { return gravity_; }
  void SetGravity(Vec2 gravity) { gravity_ = gravity; }
  // Whether to skip iterations that change no number. Results do not depend on it. The check costs
  // time if iterations do not settle.
  void set_skips_settled(bool skips) { skips_settled_ = skips; }

  // Save and load the complete state, for example with the classes of engine/env/state.h. Load
  // throws Error{kState} if the bytes are not a world: a number of nothing, a list that does not
  // end.
  template <class Writer>
  void Save(Writer& state) const;
  template <class Reader>
  void Load(Reader& state);

 private:
  Body& Find(BodyId id) {
    ENGINE_CHECK(Has(id));
    return bodies_[id];
  }
  RevoluteJoint& FindJoint(JointId id) {
    ENGINE_CHECK(HasJoint(id));
    return joints_[id];
  }

  // world.cc
  void ResetMass(Body& body);
  void SynchronizeFixtures(const Body& body);
  void MoveFixtures(const Body& body, const Transform& from, const Transform& to);
  void FlagForFiltering(BodyId a, BodyId b);
  void DropFixture(FixtureId id);

  // world_check.cc. Throw Error{kState} unless Save can have written the state.
  void Check() const;
  void CheckBodies() const;
  void CheckFixtures() const;
  void CheckContacts() const;
  void CheckJoints() const;
  void CheckTree() const;

  // world_contacts.cc
  void FindNewContacts();
  void AddPair(FixtureId a, FixtureId b);
  bool HasContact(FixtureId a, FixtureId b) const;
  bool MayCollide(BodyId a, BodyId b) const;
  void DestroyContact(ContactId id, ContactListener* listener);
  void UpdateContacts(ContactListener* listener);
  bool StillPairs(const Contact& contact) const;
  void UpdateContact(Contact& contact, ContactListener* listener);

  // world_step.cc
  Island* NextIsland(ContactListener* listener);
  void ClearForces();
  void CollectIsland(BodyId seed);
  void CollectContacts(const Body& body);
  void CollectJoints(const Body& body);

  // world_impacts.cc
  void SolveImpacts(const StepSize& step, ContactListener* listener);
  void BeginImpacts();
  ContactId FirstImpact(float& alpha);
  bool CanHaveImpact(const Contact& contact) const;
  float ImpactOf(Contact& contact);
  void AdvanceTo(BodyId id, float alpha);
  void CollectImpact(ContactId id, float alpha, ContactListener* listener);
  void CollectImpactContacts(BodyId id, float alpha, ContactListener* listener);
  void EndImpact();

  // Access to the entries of bodies' lists of contacts; see ListEntry.
  Contact& ContactOf(std::int32_t entry) { return contacts_[entry >> 1]; }
  const Contact& ContactOf(std::int32_t entry) const { return contacts_[entry >> 1]; }
  BodyId OtherBody(std::int32_t entry) const {
    return contacts_[entry >> 1].bodies[(entry & 1) ^ 1];
  }
  std::int32_t NextContact(std::int32_t entry) const {
    return contacts_[entry >> 1].entries[entry & 1].next;
  }

  Vec2 gravity_;
  float inverse_dt_ = 0.0f;  // of the latest step
  bool has_new_fixture_ = false;
  bool skips_settled_ = false;
  NumberedVector<Body> bodies_;
  NumberedVector<Fixture> fixtures_;
  NumberedVector<Contact> contacts_;
  NumberedVector<RevoluteJoint> joints_;
  BodyId first_body_ = kNone;        // of the non-static bodies, newest first
  ContactId first_contact_ = kNone;  // newest first
  BodyId free_body_ = kNone;
  FixtureId free_fixture_ = kNone;
  ContactId free_contact_ = kNone;
  JointId free_joint_ = kNone;
  BroadPhase broad_phase_;

  // Only used during a step.
  StepSize step_;
  BodyId seed_ = kNone;  // of the island
  Island island_;
  std::vector<BodyId> stack_;
  NumberedVector<BodyId> advanced_statics_;  // whose sweep.alpha0 is not 0
};

template <class Writer>
void World::Save(Writer& state) const {
  state.Put(gravity_);
  state.Put(inverse_dt_);
  state.Put(has_new_fixture_);
  state.PutAll(std::span(bodies_));
  state.PutAll(std::span(fixtures_));
  state.PutAll(std::span(contacts_));
  state.PutAll(std::span(joints_));
  for (const std::int32_t first :
       {first_body_, first_contact_, free_body_, free_fixture_, free_contact_, free_joint_}) {
    state.Put(first);
  }
  broad_phase_.Save(state);
}

template <class Reader>
void World::Load(Reader& state) {
  state.Get(gravity_);
  state.Get(inverse_dt_);
  state.Get(has_new_fixture_);
  bodies_ = state.template GetVector<Body>();
  fixtures_ = state.template GetVector<Fixture>();
  contacts_ = state.template GetVector<Contact>();
  joints_ = state.template GetVector<RevoluteJoint>();
  for (std::int32_t* first :
       {&first_body_, &first_contact_, &free_body_, &free_fixture_, &free_contact_, &free_joint_}) {
    state.Get(*first);
  }
  broad_phase_.Load(state);
  Check();
}

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_WORLD_H_
