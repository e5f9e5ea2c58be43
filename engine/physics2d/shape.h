// The shapes of fixtures: circles, line segments (edges) and convex polygons, in the frame of their
// body. A shape is plain data that fixtures copy.
#ifndef ENGINE_PHYSICS2D_SHAPE_H_
#define ENGINE_PHYSICS2D_SHAPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/physics2d/constants.h"
#include "engine/physics2d/geometry.h"

namespace engine::physics2d {

// In the order in which contacts are stored: of two shapes, the one whose kind is greater comes
// first, with the exception that an edge comes before a polygon.
enum class ShapeKind : std::uint8_t { kCircle, kEdge, kPolygon };

// Mass of a shape of some density: about its own centre `center`, but with the moment of inertia
// about the origin of the body.
struct MassData {
  float mass = 0.0f;  // kg
  Vec2 center;
  float inertia = 0.0f;  // kg m^2
};

// A segment from p1 to p2, of which the part up to `max_fraction` is looked at.
struct Ray {
  Vec2 p1;
  Vec2 p2;
  float max_fraction = 1.0f;
};

struct RayHit {
  float fraction = 0.0f;  // the point hit is p1 + fraction * (p2 - p1)
  Vec2 normal;            // of the surface there, towards p1
};

struct Shape {
  ShapeKind kind = ShapeKind::kCircle;
  std::int32_t count = 0;  // vertices: 1 of a circle (its centre), 2 of an edge, 3 or more
  float radius = 0.0f;     // of a circle; of the others, the skin about them
  Vec2 centroid;           // polygons only
  std::array<Vec2, kMaxPolygonVertices> vertices;  // of a polygon: counterclockwise
  std::array<Vec2, kMaxPolygonVertices> normals;   // polygons: outward, of the edge from vertex i

  static Shape Circle(Vec2 center, float radius);
  static Shape Edge(Vec2 from, Vec2 to);
  // A box about the origin with the half sizes hx and hy.
  static Shape Rectangle(float hx, float hy);
  // The convex hull of 3 to kMaxPolygonVertices points, beginning with the rightmost (of several
  // the lowest). Throws Error{kInternal} if it has less than three corners or no area.
  static Shape Polygon(std::span<const Vec2> points);

  std::span<const Vec2> Vertices() const {
    return {vertices.data(), static_cast<std::size_t>(count)};
  }

  Box BoundsAt(const Transform& where) const;
  MassData MassOf(float density) const;  // kg / m^2; an edge has no mass
  // The first point of the ray on the shape; nothing if it misses the shape or begins inside it.
  std::optional<RayHit> Cast(const Ray& ray, const Transform& where) const;

 private:
  std::optional<RayHit> CastCircle(const Ray& ray, const Transform& where) const;
  std::optional<RayHit> CastEdge(const Ray& ray, const Transform& where) const;
  std::optional<RayHit> CastPolygon(const Ray& ray, const Transform& where) const;
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_SHAPE_H_
