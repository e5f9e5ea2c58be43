// Two polygons: finds the face that separates them best, and clips the other polygon's side against
// it.
#include "engine/physics2d/collide.h"
#include "engine/physics2d/constants.h"

namespace engine::physics2d::collide_internal {
namespace {

struct Separation {
  int face = 0;
  float distance = 0.0f;  // negative: overlap
};

// The distance of the polygon b in front of a face of a.
float FaceSeparation(const Shape& a, const Transform& xf_a, int face, const Shape& b,
                     const Transform& xf_b) {
  const Vec2 normal = Rotate(xf_a.q, a.normals[face]);
  const Vec2 normal_in_b = RotateBack(xf_b.q, normal);
  int deepest = 0;
  float min_dot = kMaxFloat;
  for (int i = 0; i < b.count; ++i) {
    const float dot = Dot(b.vertices[i], normal_in_b);
    if (dot < min_dot) {
      min_dot = dot;
      deepest = i;
    }
  }
  const Vec2 v1 = Apply(xf_a, a.vertices[face]);
  const Vec2 v2 = Apply(xf_b, b.vertices[deepest]);
  return Dot(v2 - v1, normal);
}

// Returns a face of a that separates best. The search starts at the face towards b's centroid and
// moves to neighbouring faces while the separation grows. It ends at a local maximum; the results
// depend on which one.
Separation BestFace(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b) {
  const Vec2 towards = RotateBack(xf_a.q, Apply(xf_b, b.centroid) - Apply(xf_a, a.centroid));
  int face = 0;
  float max_dot = -kMaxFloat;
  for (int i = 0; i < a.count; ++i) {
    const float dot = Dot(a.normals[i], towards);
    if (dot > max_dot) {
      max_dot = dot;
      face = i;
    }
  }
  const auto previous = [&](int i) { return i - 1 >= 0 ? i - 1 : a.count - 1; };
  const auto next = [&](int i) { return i + 1 < a.count ? i + 1 : 0; };
  const auto at = [&](int i) { return Separation{i, FaceSeparation(a, xf_a, i, b, xf_b)}; };

  const Separation here = at(face);
  const Separation before = at(previous(face));
  const Separation after = at(next(face));
  const bool backwards = before.distance > here.distance && before.distance > after.distance;
  if (!backwards && !(after.distance > here.distance)) return here;
  Separation best = backwards ? before : after;
  while (true) {
    const Separation further = at(backwards ? previous(best.face) : next(best.face));
    if (!(further.distance > best.distance)) return best;
    best = further;
  }
}

// The side of `other` that faces a face of `reference` most directly.
ClipSegment IncidentSide(const Shape& reference, const Transform& xf, int face, const Shape& other,
                         const Transform& other_xf) {
  const Vec2 normal = RotateBack(other_xf.q, Rotate(xf.q, reference.normals[face]));
  int side = 0;
  float min_dot = kMaxFloat;
  for (int i = 0; i < other.count; ++i) {
    const float dot = Dot(normal, other.normals[i]);
    if (dot < min_dot) {
      min_dot = dot;
      side = i;
    }
  }
  const auto vertex = [&](int i) {
    return ClipVertex{Apply(other_xf, other.vertices[i]),
                      {static_cast<std::uint8_t>(face), static_cast<std::uint8_t>(i),
                       ContactFeature::kFace, ContactFeature::kVertex}};
  };
  return {vertex(side), vertex(side + 1 < other.count ? side + 1 : 0)};
}

// `swapped`: `reference` is B of the contact.
void ClipToFace(const Shape& reference, const Transform& xf, int face, const Shape& other,
                const Transform& other_xf, bool swapped, Manifold& manifold) {
  const float radius = reference.radius + other.radius;
  const int i1 = face;
  const int i2 = face + 1 < reference.count ? face + 1 : 0;
  const Vec2 local1 = reference.vertices[i1];
  const Vec2 local2 = reference.vertices[i2];
  Vec2 local_tangent = local2 - local1;
  Normalize(local_tangent);
  const Vec2 tangent = Rotate(xf.q, local_tangent);
  const Vec2 normal = Cross(tangent, 1.0f);
  const Vec2 v1 = Apply(xf, local1);
  const Vec2 v2 = Apply(xf, local2);
  const float front = Dot(normal, v1);

  const ClipSegment incident = IncidentSide(reference, xf, face, other, other_xf);
  ClipSegment clipped1;
  ClipSegment clipped2;
  if (!Clip(incident, -tangent, -Dot(tangent, v1) + radius, i1, clipped1)) return;
  if (!Clip(clipped1, tangent, Dot(tangent, v2) + radius, i2, clipped2)) return;

  manifold.type = swapped ? Manifold::kFaceB : Manifold::kFaceA;
  manifold.local_normal = Cross(local_tangent, 1.0f);
  manifold.local_point = 0.5f * (local1 + local2);
  for (const ClipVertex& vertex : clipped2) {
    if (!(Dot(normal, vertex.v) - front <= radius)) continue;
    ManifoldPoint& point = manifold.points[manifold.count++];
    point.local_point = ApplyInverse(other_xf, vertex.v);
    point.feature = swapped ? vertex.feature.Swapped() : vertex.feature;
  }
}

}  // namespace

void CollidePolygons(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
                     Manifold& manifold) {
  const float radius = a.radius + b.radius;
  const Separation face_a = BestFace(a, xf_a, b, xf_b);
  if (face_a.distance > radius) return;
  const Separation face_b = BestFace(b, xf_b, a, xf_a);
  if (face_b.distance > radius) return;

  // Prefers A by a margin, so that the choice does not alternate between steps.
  constexpr float kRelative = 0.98f;
  constexpr float kAbsolute = 0.001f;
  if (face_b.distance > kRelative * face_a.distance + kAbsolute) {
    ClipToFace(b, xf_b, face_b.face, a, xf_a, true, manifold);
  } else {
    ClipToFace(a, xf_a, face_a.face, b, xf_b, false, manifold);
  }
}

}  // namespace engine::physics2d::collide_internal
