// The contacts of an island as constraints. Computes impulses that prevent overlap and sliding, one
// contact after the other (sequential impulses). Two points of a contact are solved together.
#ifndef ENGINE_PHYSICS2D_CONTACT_SOLVER_H_
#define ENGINE_PHYSICS2D_CONTACT_SOLVER_H_

#include <optional>

#include "engine/physics2d/body.h"
#include "engine/physics2d/contact.h"
#include "engine/physics2d/fixture.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/solver_state.h"

namespace engine::physics2d {

// a and b are the indices of the bodies in the island.
struct ContactVelocity {
  struct Point {
    Vec2 ra, rb;  // from the centres of mass
    float normal_impulse = 0.0f;
    float tangent_impulse = 0.0f;
    float normal_mass = 0.0f;
    float tangent_mass = 0.0f;
    float bias = 0.0f;  // target velocity of a bounce
  };

  NumberedArray<Point, kMaxManifoldPoints> points;
  Vec2 normal;
  Vec2 tangent;
  int a = 0;
  int b = 0;
  float mass_a = 0.0f, mass_b = 0.0f;        // inverse
  float inertia_a = 0.0f, inertia_b = 0.0f;  // inverse
  float friction = 0.0f;
  float restitution = 0.0f;
  int count = 0;  // of points
  // For two points: the symmetric matrix from impulses to normal velocities, and its inverse.
  float k11 = 0.0f, k12 = 0.0f, k22 = 0.0f;
  float inv11 = 0.0f, inv12 = 0.0f, inv22 = 0.0f;
};

struct ContactPosition {
  NumberedArray<Vec2, kMaxManifoldPoints> local_points;
  Vec2 local_normal;
  Vec2 local_point;
  Vec2 center_a, center_b;  // of mass, in the frames of the bodies
  float radius_a = 0.0f, radius_b = 0.0f;
  int count = 0;  // includes points that the velocity constraint omits
  Manifold::Type type = Manifold::kCircles;
};

class ContactSolver {
 public:
  // All spans must stay valid until StoreImpulses. Impulses start at the impulses of the previous
  // step times `impulse_scale`, or at 0 if it is nullopt.
  void Begin(NumberedSpan<const Body> bodies, NumberedSpan<const Fixture> fixtures,
             NumberedSpan<Contact> contacts, NumberedSpan<const ContactId> ids,
             std::optional<float> impulse_scale);

  // `velocities` include the forces of the step.
  void Prepare(NumberedSpan<Position> positions, NumberedSpan<const Velocity> velocities);
  void WarmStart(NumberedSpan<Velocity> velocities) const;
  void SolveVelocities(NumberedSpan<Velocity> velocities);
  void StoreImpulses() const;

  void Reserve(std::size_t contacts) {
    velocities_.reserve(contacts);
    positions_.reserve(contacts);
  }

  // Runs one iteration. Returns true if no large overlap is left.
  bool SolvePositions(NumberedSpan<Position> positions);
  // As SolvePositions, at a time of impact: only the bodies a and b move.
  bool SolveImpactPositions(NumberedSpan<Position> positions, int a, int b);

  NumberedSpan<const ContactVelocity> velocities() const { return velocities_; }

 private:
  void PreparePoint(ContactVelocity& constraint, ContactVelocity::Point& point, Vec2 where,
                    const Position& a, const Position& b, const Velocity& va,
                    const Velocity& vb) const;
  static void PrepareBlock(ContactVelocity& constraint);

  NumberedSpan<Contact> contacts_;
  NumberedSpan<const ContactId> ids_;
  NumberedVector<ContactVelocity> velocities_;
  NumberedVector<ContactPosition> positions_;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_CONTACT_SOLVER_H_
