// Circles against circles, edges and polygons: one point.
#include "engine/physics2d/collide.h"
#include "engine/physics2d/constants.h"

namespace engine::physics2d::collide_internal {
namespace {

float DistanceSquared(Vec2 a, Vec2 b) {
  const Vec2 d = a - b;
  return Dot(d, d);
}

void SetPoint(Manifold& manifold, Manifold::Type type, Vec2 local_normal, Vec2 local_point,
              const Shape& circle, ContactFeature feature = {}) {
  manifold.type = type;
  manifold.local_normal = local_normal;
  manifold.local_point = local_point;
  manifold.count = 1;
  manifold.points[0].local_point = circle.vertices[0];
  manifold.points[0].feature = feature;
}

}  // namespace

void CollideCircles(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
                    Manifold& manifold) {
  const Vec2 d = Apply(xf_b, b.vertices[0]) - Apply(xf_a, a.vertices[0]);
  const float radius = a.radius + b.radius;
  if (Dot(d, d) > radius * radius) return;
  SetPoint(manifold, Manifold::kCircles, {}, a.vertices[0], b);
}

void CollidePolygonAndCircle(const Shape& a, const Transform& xf_a, const Shape& b,
                             const Transform& xf_b, Manifold& manifold) {
  const Vec2 center = ApplyInverse(xf_a, Apply(xf_b, b.vertices[0]));
  const float radius = a.radius + b.radius;
  // The face with the largest separation from the centre.
  int face = 0;
  float separation = -kMaxFloat;
  for (int i = 0; i < a.count; ++i) {
    const float s = Dot(a.normals[i], center - a.vertices[i]);
    if (s > radius) return;
    if (s > separation) {
      separation = s;
      face = i;
    }
  }
  const Vec2 v1 = a.vertices[face];
  const Vec2 v2 = a.vertices[face + 1 < a.count ? face + 1 : 0];
  const Vec2 middle = 0.5f * (v1 + v2);
  if (separation < kEpsilon) {  // the centre is inside
    return SetPoint(manifold, Manifold::kFaceA, a.normals[face], middle, b);
  }
  const float u1 = Dot(center - v1, v2 - v1);
  const float u2 = Dot(center - v2, v1 - v2);
  if (u1 <= 0.0f || u2 <= 0.0f) {  // beside the face; the nearest point is a corner
    const Vec2 corner = u1 <= 0.0f ? v1 : v2;
    if (DistanceSquared(center, corner) > radius * radius) return;
    Vec2 normal = center - corner;
    Normalize(normal);
    return SetPoint(manifold, Manifold::kFaceA, normal, corner, b);
  }
  if (Dot(center - middle, a.normals[face]) > radius) return;
  SetPoint(manifold, Manifold::kFaceA, a.normals[face], middle, b);
}

void CollideEdgeAndCircle(const Shape& a, const Transform& xf_a, const Shape& b,
                          const Transform& xf_b, Manifold& manifold) {
  const Vec2 q = ApplyInverse(xf_a, Apply(xf_b, b.vertices[0]));
  const Vec2 from = a.vertices[0];
  const Vec2 to = a.vertices[1];
  const Vec2 e = to - from;
  const float u = Dot(e, to - q);
  const float v = Dot(e, q - from);
  const float radius = a.radius + b.radius;
  if (v <= 0.0f || u <= 0.0f) {  // beside the edge; the nearest point is an end
    const bool first = v <= 0.0f;
    const Vec2 end = first ? from : to;
    if (DistanceSquared(q, end) > radius * radius) return;
    return SetPoint(manifold, Manifold::kCircles, {}, end, b,
                    {.index_a = static_cast<std::uint8_t>(first ? 0 : 1)});
  }
  const float ee = Dot(e, e);
  const Vec2 nearest = (1.0f / ee) * (u * from + v * to);
  if (DistanceSquared(q, nearest) > radius * radius) return;
  Vec2 normal{-e.y, e.x};
  if (Dot(normal, q - from) < 0.0f) normal = {-normal.x, -normal.y};
  Normalize(normal);
  SetPoint(manifold, Manifold::kFaceA, normal, from, b, {.type_a = ContactFeature::kFace});
}

}  // namespace engine::physics2d::collide_internal
