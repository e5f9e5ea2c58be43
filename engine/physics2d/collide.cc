#include "engine/physics2d/collide.h"

#include "engine/physics2d/constants.h"

namespace engine::physics2d {
namespace collide_internal {

bool Clip(const ClipSegment& in, Vec2 normal, float offset, int vertex_a, ClipSegment& out) {
  const float distance0 = Dot(normal, in[0].v) - offset;
  const float distance1 = Dot(normal, in[1].v) - offset;
  int count = 0;
  if (distance0 <= 0.0f) out[count++] = in[0];
  if (distance1 <= 0.0f) out[count++] = in[1];
  if (distance0 * distance1 < 0.0f) {
    const float share = distance0 / (distance0 - distance1);
    out[count++] = {in[0].v + share * (in[1].v - in[0].v),
                    {static_cast<std::uint8_t>(vertex_a), in[0].feature.index_b,
                     ContactFeature::kVertex, ContactFeature::kFace}};
  }
  return count == 2;
}

}  // namespace collide_internal

void Collide(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
             Manifold& manifold) {
  using namespace collide_internal;
  manifold.count = 0;
  if (b.kind == ShapeKind::kCircle) {
    switch (a.kind) {
      case ShapeKind::kCircle:
        return CollideCircles(a, xf_a, b, xf_b, manifold);
      case ShapeKind::kEdge:
        return CollideEdgeAndCircle(a, xf_a, b, xf_b, manifold);
      default:
        return CollidePolygonAndCircle(a, xf_a, b, xf_b, manifold);
    }
  }
  if (a.kind == ShapeKind::kEdge) return CollideEdgeAndPolygon(a, xf_a, b, xf_b, manifold);
  CollidePolygons(a, xf_a, b, xf_b, manifold);
}

WorldManifold::WorldManifold(const Manifold& manifold, const Transform& a, float radius_a,
                             const Transform& b, float radius_b) {
  if (manifold.type == Manifold::kCircles) {
    const Vec2 point_a = Apply(a, manifold.local_point);
    const Vec2 point_b = Apply(b, manifold.points[0].local_point);
    normal = {1.0f, 0.0f};
    const Vec2 d = point_a - point_b;
    if (Dot(d, d) > kEpsilon * kEpsilon) {
      normal = point_b - point_a;
      Normalize(normal);
    }
    points[0] = 0.5f * ((point_a + radius_a * normal) + (point_b - radius_b * normal));
    return;
  }
  // The face belongs to `face`, the points belong to `other`.
  const bool of_a = manifold.type == Manifold::kFaceA;
  const Transform& face = of_a ? a : b;
  const Transform& other = of_a ? b : a;
  const float face_radius = of_a ? radius_a : radius_b;
  const float other_radius = of_a ? radius_b : radius_a;
  normal = Rotate(face.q, manifold.local_normal);
  const Vec2 plane = Apply(face, manifold.local_point);
  for (int i = 0; i < manifold.count; ++i) {
    const Vec2 clip = Apply(other, manifold.points[i].local_point);
    const Vec2 on_face = clip + (face_radius - Dot(clip - plane, normal)) * normal;
    const Vec2 on_other = clip - other_radius * normal;
    points[i] = 0.5f * (on_face + on_other);
  }
  if (!of_a) normal = -normal;
}

}  // namespace engine::physics2d
