// The shapes of fixtures: circles, line segments (edges) and convex polygons, in the frame of their
// body. A shape is plain data that fixtures copy.
#ifndef ENGINE_PHYSICS2D_SHAPE_H_
#define ENGINE_PHYSICS2D_SHAPE_H_

#include <cstdint>
#include <optional>

#include "engine/physics2d/constants.h"
#include "engine/physics2d/geometry.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {

// Contacts store two shapes in this order: the shape with the greater kind first, except that an
// edge comes before a polygon.
enum class ShapeKind : std::uint8_t { kCircle, kEdge, kPolygon };

// The mass of a shape. `center` is the centre of mass; `inertia` is the moment of inertia about the
// origin of the body.
struct MassData {
  float mass = 0.0f;  // kg
  Vec2 center;
  float inertia = 0.0f;  // kg m^2
};

// A segment from p1 to p2. A cast considers the part up to the fraction `max_fraction`.
struct Ray {
  Vec2 p1;
  Vec2 p2;
  float max_fraction = 1.0f;
};

struct RayHit {
  float fraction = 0.0f;  // the point hit is p1 + fraction * (p2 - p1)
  Vec2 normal;            // of the surface at this point, towards p1
};

struct Shape {
  ShapeKind kind = ShapeKind::kCircle;
  std::int32_t count = 0;  // vertices: circle 1 (the centre), edge 2, polygon 3 or more
  float radius = 0.0f;     // circle: the radius; others: the thickness of the skin
  Vec2 centroid;           // polygons only
  NumberedArray<Vec2, kMaxPolygonVertices> vertices;  // polygons: counterclockwise
  NumberedArray<Vec2, kMaxPolygonVertices> normals;  // polygons: outward, of the side from vertex i

  static Shape Circle(Vec2 center, float radius);
  static Shape Edge(Vec2 from, Vec2 to);
  // A box about the origin with the half sizes hx and hy.
  static Shape Rectangle(float hx, float hy);
  // The convex hull of 3 to kMaxPolygonVertices points, starting at the rightmost point (of
  // several, at the lowest). Throws Error{kInternal} if the hull has fewer than three corners or no
  // area.
  static Shape Polygon(NumberedSpan<const Vec2> points);

  NumberedSpan<const Vec2> Vertices() const {
    return {vertices.data(), static_cast<std::size_t>(count)};
  }

  Box BoundsAt(const Transform& where) const;
  MassData MassOf(float density) const;  // kg / m^2; an edge has no mass
  // The first point of the ray on the shape; nullopt if it misses the shape or begins inside it.
  std::optional<RayHit> Cast(const Ray& ray, const Transform& where) const;

 private:
  std::optional<RayHit> CastCircle(const Ray& ray, const Transform& where) const;
  std::optional<RayHit> CastEdge(const Ray& ray, const Transform& where) const;
  std::optional<RayHit> CastPolygon(const Ray& ray, const Transform& where) const;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_SHAPE_H_
