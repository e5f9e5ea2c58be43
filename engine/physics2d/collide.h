// The points at which two shapes touch or overlap. Pure functions; any thread.
#ifndef ENGINE_PHYSICS2D_COLLIDE_H_
#define ENGINE_PHYSICS2D_COLLIDE_H_

#include "engine/physics2d/manifold.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/shape.h"

namespace engine::physics2d {

// Whether a contact stores shapes of these kinds in this order; otherwise the caller must swap
// them. Kinds without a function below make no contact: two edges never touch.
constexpr bool InContactOrder(ShapeKind a, ShapeKind b) {
  if (a == b) return true;
  return b == ShapeKind::kCircle || a == ShapeKind::kEdge;
}
constexpr bool CanTouch(ShapeKind a, ShapeKind b) {
  return a != ShapeKind::kEdge || b != ShapeKind::kEdge;
}

// Requires: the shapes are in contact order. Does not set impulses.
void Collide(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
             Manifold& manifold);

namespace collide_internal {

struct ClipVertex {
  Vec2 v;
  ContactFeature feature;
};
using ClipSegment = NumberedArray<ClipVertex, 2>;

// Computes the part of the segment with Dot(normal, v) <= offset. Returns false if fewer than two
// points are left. `vertex_a` is the vertex of A at this border.
bool Clip(const ClipSegment& in, Vec2 normal, float offset, int vertex_a, ClipSegment& out);

void CollideCircles(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
                    Manifold& manifold);
void CollidePolygonAndCircle(const Shape& a, const Transform& xf_a, const Shape& b,
                             const Transform& xf_b, Manifold& manifold);
void CollideEdgeAndCircle(const Shape& a, const Transform& xf_a, const Shape& b,
                          const Transform& xf_b, Manifold& manifold);
void CollideEdgeAndPolygon(const Shape& a, const Transform& xf_a, const Shape& b,
                           const Transform& xf_b, Manifold& manifold);
void CollidePolygons(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
                     Manifold& manifold);

}  // namespace collide_internal
}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_COLLIDE_H_
