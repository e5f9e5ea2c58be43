#include "engine/physics2d/contact_solver.h"

#include "engine/physics2d/constants.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {
namespace {

// The velocity of B's point relative to A's point.
Vec2 RelativeVelocity(const Velocity& va, Vec2 ra, const Velocity& vb, Vec2 rb) {
  return vb.v + Cross(vb.w, rb) - va.v - Cross(va.w, ra);
}

// Applies an impulse to B at rb, and the opposite impulse to A at ra.
void Apply(const ContactVelocity& c, const ContactVelocity::Point& point, Vec2 impulse,
           Velocity& va, Velocity& vb) {
  va.v -= c.mass_a * impulse;
  va.w -= c.inertia_a * Cross(point.ra, impulse);
  vb.v += c.mass_b * impulse;
  vb.w += c.inertia_b * Cross(point.rb, impulse);
}

void SolveFriction(const ContactVelocity& c, ContactVelocity::Point& point, Velocity& va,
                   Velocity& vb) {
  const float speed = Dot(RelativeVelocity(va, point.ra, vb, point.rb), c.tangent);
  const float wanted = point.tangent_mass * (-speed);
  const float limit = c.friction * point.normal_impulse;
  const float total = PredictedClamp(point.tangent_impulse + wanted, -limit, limit);
  const float change = total - point.tangent_impulse;
  point.tangent_impulse = total;
  Apply(c, point, change * c.tangent, va, vb);
}

void SolveNormal(const ContactVelocity& c, ContactVelocity::Point& point, Velocity& va,
                 Velocity& vb) {
  const float speed = Dot(RelativeVelocity(va, point.ra, vb, point.rb), c.normal);
  const float wanted = -point.normal_mass * (speed - point.bias);
  const float total = Max(point.normal_impulse + wanted, 0.0f);
  const float change = total - point.normal_impulse;
  point.normal_impulse = total;
  Apply(c, point, change * c.normal, va, vb);
}

// Solves the complementarity problem of two points: the points must not approach each other, and
// only a point that does not separate has an impulse. Tries the four combinations and takes the
// first that is consistent. x are the new accumulated impulses.
bool FindBlockImpulses(const ContactVelocity& c, Vec2 b, Vec2& x) {
  // Both points have an impulse.
  x = {-(c.inv11 * b.x + c.inv12 * b.y), -(c.inv12 * b.x + c.inv22 * b.y)};
  if (x.x >= 0.0f && x.y >= 0.0f) return true;
  // Only the first point has one.
  x = {-c.points[0].normal_mass * b.x, 0.0f};
  if (x.x >= 0.0f && c.k12 * x.x + b.y >= 0.0f) return true;
  // Only the second point has one.
  x = {0.0f, -c.points[1].normal_mass * b.y};
  if (x.y >= 0.0f && c.k12 * x.y + b.x >= 0.0f) return true;
  // No point has one.
  x = {0.0f, 0.0f};
  return b.x >= 0.0f && b.y >= 0.0f;
}

void SolveBlock(ContactVelocity& c, Velocity& va, Velocity& vb) {
  ContactVelocity::Point& p1 = c.points[0];
  ContactVelocity::Point& p2 = c.points[1];
  const Vec2 old{p1.normal_impulse, p2.normal_impulse};
  const float speed1 = Dot(RelativeVelocity(va, p1.ra, vb, p1.rb), c.normal);
  const float speed2 = Dot(RelativeVelocity(va, p2.ra, vb, p2.rb), c.normal);
  Vec2 b{speed1 - p1.bias, speed2 - p2.bias};
  b -= Vec2{c.k11 * old.x + c.k12 * old.y, c.k12 * old.x + c.k22 * old.y};

  Vec2 x;
  if (!FindBlockImpulses(c, b, x)) return;  // no solution, because of rounding
  const Vec2 change = x - old;
  const Vec2 impulse1 = change.x * c.normal;
  const Vec2 impulse2 = change.y * c.normal;
  va.v -= c.mass_a * (impulse1 + impulse2);
  va.w -= c.inertia_a * (Cross(p1.ra, impulse1) + Cross(p2.ra, impulse2));
  vb.v += c.mass_b * (impulse1 + impulse2);
  vb.w += c.inertia_b * (Cross(p1.rb, impulse1) + Cross(p2.rb, impulse2));
  p1.normal_impulse = x.x;
  p2.normal_impulse = x.y;
}

// One point of a contact during position correction.
struct Gap {
  Vec2 normal;  // from A to B
  Vec2 point;
  float separation = 0.0f;

  Gap(const ContactPosition& c, const Transform& a, const Transform& b, int i) {
    if (c.type == Manifold::kCircles) {
      const Vec2 point_a = physics2d::Apply(a, c.local_point);
      const Vec2 point_b = physics2d::Apply(b, c.local_points[0]);
      normal = point_b - point_a;
      Normalize(normal);
      point = 0.5f * (point_a + point_b);
      separation = Dot(point_b - point_a, normal) - c.radius_a - c.radius_b;
      return;
    }
    const bool of_a = c.type == Manifold::kFaceA;
    const Transform& face = of_a ? a : b;
    normal = Rotate(face.q, c.local_normal);
    const Vec2 plane = physics2d::Apply(face, c.local_point);
    point = physics2d::Apply(of_a ? b : a, c.local_points[i]);
    separation = Dot(point - plane, normal) - c.radius_a - c.radius_b;
    if (!of_a) normal = -normal;
  }
};

struct InverseMasses {
  float mass_a, inertia_a, mass_b, inertia_b;
};

// Removes a share of the overlap of each point in turn. Returns the smallest separation.
float CorrectPositions(const ContactPosition& c, const InverseMasses& m, Position& a, Position& b,
                       float share) {
  float least = 0.0f;
  for (int i = 0; i < c.count; ++i) {
    const Gap gap(c, a.At(c.center_a), b.At(c.center_b), i);
    const Vec2 ra = gap.point - a.c;
    const Vec2 rb = gap.point - b.c;
    least = Min(least, gap.separation);
    const float correction =
        Clamp(share * (gap.separation + kLinearSlop), -kMaxLinearCorrection, 0.0f);
    const float rna = Cross(ra, gap.normal);
    const float rnb = Cross(rb, gap.normal);
    const float k = m.mass_a + m.mass_b + m.inertia_a * rna * rna + m.inertia_b * rnb * rnb;
    const Vec2 impulse = (k > 0.0f ? -correction / k : 0.0f) * gap.normal;
    a.c -= m.mass_a * impulse;
    a.a -= m.inertia_a * Cross(ra, impulse);
    b.c += m.mass_b * impulse;
    b.a += m.inertia_b * Cross(rb, impulse);
  }
  return least;
}

}  // namespace

void ContactSolver::Begin(NumberedSpan<const Body> bodies, NumberedSpan<const Fixture> fixtures,
                          NumberedSpan<Contact> contacts, NumberedSpan<const ContactId> ids,
                          std::optional<float> impulse_scale) {
  contacts_ = contacts;
  ids_ = ids;
  velocities_.resize(ids.size());
  positions_.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Contact& contact = contacts[ids[i]];
    const Manifold& manifold = contact.manifold;
    const Body& a = bodies[contact.bodies[0]];
    const Body& b = bodies[contact.bodies[1]];

    ContactVelocity& velocity = velocities_[i];
    velocity.a = a.island_index;
    velocity.b = b.island_index;
    velocity.mass_a = a.inverse_mass;
    velocity.mass_b = b.inverse_mass;
    velocity.inertia_a = a.inverse_inertia;
    velocity.inertia_b = b.inverse_inertia;
    velocity.friction = contact.friction;
    velocity.restitution = contact.restitution;
    velocity.count = manifold.count;

    ContactPosition& position = positions_[i];
    position.local_normal = manifold.local_normal;
    position.local_point = manifold.local_point;
    position.center_a = a.sweep.local_center;
    position.center_b = b.sweep.local_center;
    position.radius_a = fixtures[contact.fixtures[0]].shape.radius;
    position.radius_b = fixtures[contact.fixtures[1]].shape.radius;
    position.count = manifold.count;
    position.type = manifold.type;
    for (int j = 0; j < manifold.count; ++j) {
      const ManifoldPoint& point = manifold.points[j];
      velocity.points[j].normal_impulse =
          impulse_scale ? *impulse_scale * point.normal_impulse : 0.0f;
      velocity.points[j].tangent_impulse =
          impulse_scale ? *impulse_scale * point.tangent_impulse : 0.0f;
      position.local_points[j] = point.local_point;
    }
  }
}

void ContactSolver::Prepare(NumberedSpan<Position> positions,
                            NumberedSpan<const Velocity> velocities) {
  for (std::size_t i = 0; i < velocities_.size(); ++i) {
    ContactVelocity& c = velocities_[i];
    const ContactPosition& p = positions_[i];
    Position& a = positions[c.a];
    Position& b = positions[c.b];
    const WorldManifold world(contacts_[ids_[i]].manifold, a.At(p.center_a), p.radius_a,
                              b.At(p.center_b), p.radius_b);
    c.normal = world.normal;
    c.tangent = Cross(world.normal, 1.0f);
    for (int j = 0; j < c.count; ++j) {
      PreparePoint(c, c.points[j], world.points[j], a, b, velocities[c.a], velocities[c.b]);
    }
    if (c.count == 2) PrepareBlock(c);
  }
}

void ContactSolver::PreparePoint(ContactVelocity& c, ContactVelocity::Point& point, Vec2 where,
                                 const Position& a, const Position& b, const Velocity& va,
                                 const Velocity& vb) const {
  point.ra = where - a.c;
  point.rb = where - b.c;
  const auto mass_along = [&](Vec2 direction) {
    const float rna = Cross(point.ra, direction);
    const float rnb = Cross(point.rb, direction);
    const float k = c.mass_a + c.mass_b + c.inertia_a * rna * rna + c.inertia_b * rnb * rnb;
    return k > 0.0f ? 1.0f / k : 0.0f;
  };
  point.normal_mass = mass_along(c.normal);
  point.tangent_mass = mass_along(c.tangent);
  const float speed = Dot(c.normal, RelativeVelocity(va, point.ra, vb, point.rb));
  point.bias = speed < -kRestitutionThreshold ? -c.restitution * speed : 0.0f;
}

void ContactSolver::PrepareBlock(ContactVelocity& c) {
  constexpr float kMaxConditionNumber = 1000.0f;
  const float rn1a = Cross(c.points[0].ra, c.normal);
  const float rn1b = Cross(c.points[0].rb, c.normal);
  const float rn2a = Cross(c.points[1].ra, c.normal);
  const float rn2b = Cross(c.points[1].rb, c.normal);
  const float k11 = c.mass_a + c.mass_b + c.inertia_a * rn1a * rn1a + c.inertia_b * rn1b * rn1b;
  const float k22 = c.mass_a + c.mass_b + c.inertia_a * rn2a * rn2a + c.inertia_b * rn2b * rn2b;
  const float k12 = c.mass_a + c.mass_b + c.inertia_a * rn1a * rn2a + c.inertia_b * rn1b * rn2b;
  if (!(k11 * k11 < kMaxConditionNumber * (k11 * k22 - k12 * k12))) {
    c.count = 1;  // the points are too close to solve both
    return;
  }
  float determinant = k11 * k22 - k12 * k12;
  if (determinant != 0.0f) determinant = 1.0f / determinant;
  c.k11 = k11;
  c.k12 = k12;
  c.k22 = k22;
  c.inv11 = determinant * k22;
  c.inv12 = -determinant * k12;
  c.inv22 = determinant * k11;
}

void ContactSolver::WarmStart(NumberedSpan<Velocity> velocities) const {
  for (const ContactVelocity& c : velocities_) {
    Velocity& va = velocities[c.a];
    Velocity& vb = velocities[c.b];
    for (int j = 0; j < c.count; ++j) {
      const ContactVelocity::Point& point = c.points[j];
      Apply(c, point, point.normal_impulse * c.normal + point.tangent_impulse * c.tangent, va, vb);
    }
  }
}

void ContactSolver::SolveVelocities(NumberedSpan<Velocity> velocities) {
  for (ContactVelocity& c : velocities_) {
    Velocity va = velocities[c.a];
    Velocity vb = velocities[c.b];
    // Friction first, because the constraints solved last are satisfied best, and non-penetration
    // matters more than friction.
    SolveFriction(c, c.points[0], va, vb);
    if (c.count == 2) {
      SolveFriction(c, c.points[1], va, vb);
      SolveBlock(c, va, vb);
    } else {
      SolveNormal(c, c.points[0], va, vb);
    }
    velocities[c.a] = va;
    velocities[c.b] = vb;
  }
}

void ContactSolver::StoreImpulses() const {
  for (std::size_t i = 0; i < velocities_.size(); ++i) {
    const ContactVelocity& c = velocities_[i];
    Manifold& manifold = contacts_[ids_[i]].manifold;
    for (int j = 0; j < c.count; ++j) {
      manifold.points[j].normal_impulse = c.points[j].normal_impulse;
      manifold.points[j].tangent_impulse = c.points[j].tangent_impulse;
    }
  }
}

bool ContactSolver::SolvePositions(NumberedSpan<Position> positions) {
  float least = 0.0f;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const ContactVelocity& c = velocities_[i];
    least =
        Min(least, CorrectPositions(positions_[i], {c.mass_a, c.inertia_a, c.mass_b, c.inertia_b},
                                    positions[c.a], positions[c.b], kContactCorrection));
  }
  return least >= -3.0f * kLinearSlop;
}

bool ContactSolver::SolveImpactPositions(NumberedSpan<Position> positions, int a, int b) {
  float least = 0.0f;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const ContactVelocity& c = velocities_[i];
    InverseMasses masses{};
    if (c.a == a || c.a == b) {
      masses.mass_a = c.mass_a;
      masses.inertia_a = c.inertia_a;
    }
    if (c.b == a || c.b == b) {
      masses.mass_b = c.mass_b;
      masses.inertia_b = c.inertia_b;
    }
    least = Min(least, CorrectPositions(positions_[i], masses, positions[c.a], positions[c.b],
                                        kImpactCorrection));
  }
  return least >= -1.5f * kLinearSlop;
}

}  // namespace engine::physics2d
