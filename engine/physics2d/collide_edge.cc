// An edge against a polygon. The edge has two sides; the polygon is on the side of its centroid.
#include "engine/physics2d/collide.h"
#include "engine/physics2d/constants.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d::collide_internal {
namespace {

// The polygon in the frame of the edge.
struct LocalPolygon {
  LocalPolygon(const Shape& polygon, const Transform& relative) : count(polygon.count) {
    for (int i = 0; i < count; ++i) {
      vertices[i] = Apply(relative, polygon.vertices[i]);
      normals[i] = Rotate(relative.q, polygon.normals[i]);
    }
  }
  int Next(int i) const { return i + 1 < count ? i + 1 : 0; }

  int count;
  NumberedArray<Vec2, kMaxPolygonVertices> vertices;
  NumberedArray<Vec2, kMaxPolygonVertices> normals;
};

// The direction along which the edge and the polygon are farthest apart.
struct Axis {
  int face = kNone;  // of the polygon; kNone: the edge itself
  float separation = 0.0f;
};

float EdgeSeparation(const LocalPolygon& polygon, Vec2 normal, Vec2 v1) {
  float separation = kMaxFloat;
  for (int i = 0; i < polygon.count; ++i) {
    const float s = Dot(normal, polygon.vertices[i] - v1);
    if (s < separation) separation = s;
  }
  return separation;
}

// Returns the first face that is more than `radius` away from the edge, or the farthest face.
Axis PolygonAxis(const LocalPolygon& polygon, Vec2 v1, Vec2 v2, float radius) {
  Axis axis{kNone, -kMaxFloat};
  for (int i = 0; i < polygon.count; ++i) {
    const Vec2 n = -polygon.normals[i];
    const float s1 = Dot(n, polygon.vertices[i] - v1);
    const float s2 = Dot(n, polygon.vertices[i] - v2);
    const float s = Min(s1, s2);
    if (s > radius) return {i, s};
    if (s > axis.separation) axis = {i, s};
  }
  return axis;
}

// The face against which the other shape's segment is clipped.
struct ReferenceFace {
  int i1, i2;
  Vec2 v1, v2;
  Vec2 normal;
};

// The side of the polygon that faces the edge most directly.
ClipSegment IncidentSide(const LocalPolygon& polygon, Vec2 normal) {
  int best = 0;
  float best_value = Dot(normal, polygon.normals[0]);
  for (int i = 1; i < polygon.count; ++i) {
    const float value = Dot(normal, polygon.normals[i]);
    if (value < best_value) {
      best_value = value;
      best = i;
    }
  }
  const auto vertex = [&](int i) {
    return ClipVertex{
        polygon.vertices[i],
        {0, static_cast<std::uint8_t>(i), ContactFeature::kFace, ContactFeature::kVertex}};
  };
  return {vertex(best), vertex(polygon.Next(best))};
}

ClipSegment IncidentEdge(Vec2 v1, Vec2 v2, int face) {
  const ContactFeature feature{0, static_cast<std::uint8_t>(face), ContactFeature::kVertex,
                               ContactFeature::kFace};
  return {ClipVertex{v1, feature}, ClipVertex{v2, feature}};
}

}  // namespace

void CollideEdgeAndPolygon(const Shape& a, const Transform& xf_a, const Shape& b,
                           const Transform& xf_b, Manifold& manifold) {
  const Transform relative = Relative(xf_a, xf_b);
  const Vec2 v1 = a.vertices[0];
  const Vec2 v2 = a.vertices[1];
  Vec2 edge = v2 - v1;
  Normalize(edge);
  const Vec2 right{edge.y, -edge.x};
  const bool front = Dot(right, Apply(relative, b.centroid) - v1) >= 0.0f;
  const Vec2 normal = front ? right : -right;

  const LocalPolygon polygon(b, relative);
  const float radius = b.radius + a.radius;
  const float edge_separation = EdgeSeparation(polygon, normal, v1);
  if (edge_separation > radius) return;
  const Axis axis = PolygonAxis(polygon, v1, v2, radius);
  if (axis.face != kNone && axis.separation > radius) return;

  // Prefers the edge by a margin, so that the choice does not alternate between steps.
  constexpr float kRelative = 0.98f;
  constexpr float kAbsolute = 0.001f;
  const bool by_edge =
      axis.face == kNone || !(axis.separation > kRelative * edge_separation + kAbsolute);

  ClipSegment incident;
  ReferenceFace face;
  if (by_edge) {
    incident = IncidentSide(polygon, normal);
    face = front ? ReferenceFace{0, 1, v1, v2, right} : ReferenceFace{1, 0, v2, v1, -right};
  } else {
    incident = IncidentEdge(v1, v2, axis.face);
    const int next = polygon.Next(axis.face);
    face = {axis.face, next, polygon.vertices[axis.face], polygon.vertices[next],
            polygon.normals[axis.face]};
  }
  const Vec2 side1{face.normal.y, -face.normal.x};
  const Vec2 side2 = -side1;
  ClipSegment clipped1;
  ClipSegment clipped2;
  if (!Clip(incident, side1, Dot(side1, face.v1), face.i1, clipped1)) return;
  if (!Clip(clipped1, side2, Dot(side2, face.v2), face.i2, clipped2)) return;

  manifold.type = by_edge ? Manifold::kFaceA : Manifold::kFaceB;
  manifold.local_normal = by_edge ? face.normal : b.normals[face.i1];
  manifold.local_point = by_edge ? face.v1 : b.vertices[face.i1];
  for (const ClipVertex& vertex : clipped2) {
    if (!(Dot(face.normal, vertex.v - face.v1) <= radius)) continue;
    ManifoldPoint& point = manifold.points[manifold.count++];
    point.local_point = by_edge ? ApplyInverse(relative, vertex.v) : vertex.v;
    point.feature = by_edge ? vertex.feature : vertex.feature.Swapped();
  }
}

}  // namespace engine::physics2d::collide_internal
