#include "engine/physics2d/shape.h"

#include <cmath>
#include <cstddef>
#include <string>

#include "engine/base/error.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  throw Error(ErrorKind::kInternal, "physics2d: a polygon " + why);
}

// Gift wrapping: goes from each corner to the point that has no other point on its right. Writes
// the corners to `hull` and returns their number.
int Wrap(NumberedSpan<const Vec2> points, NumberedArray<int, kMaxPolygonVertices>& hull) {
  const int count = static_cast<int>(points.size());
  int first = 0;
  for (int i = 1; i < count; ++i) {
    const Vec2 p = points[i];
    const Vec2 best = points[first];
    if (p.x > best.x || (p.x == best.x && p.y < best.y)) first = i;
  }
  int corners = 0;
  int at = first;
  do {
    if (corners == kMaxPolygonVertices) Refuse("has coordinates that are not finite");
    hull[static_cast<std::size_t>(corners++)] = at;
    int next = 0;
    for (int j = 1; j < count; ++j) {
      if (next == at) {
        next = j;
        continue;
      }
      const Vec2 r = points[next] - points[at];
      const Vec2 v = points[j] - points[at];
      const float turn = Cross(r, v);
      if (turn < 0.0f || (turn == 0.0f && LengthSquared(v) > LengthSquared(r))) next = j;
    }
    at = next;
  } while (at != first);
  return corners;
}

// Computes the centroid from the triangles between the origin of the body and each side.
Vec2 CentroidOf(NumberedSpan<const Vec2> corners) {
  constexpr float kThird = 1.0f / 3.0f;
  const Vec2 origin{};
  Vec2 sum;
  float area = 0.0f;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 p2 = corners[i];
    const Vec2 p3 = i + 1 < corners.size() ? corners[i + 1] : corners[0];
    const float triangle = 0.5f * Cross(p2 - origin, p3 - origin);
    area += triangle;
    sum += triangle * kThird * (origin + p2 + p3);
  }
  if (!(area > kEpsilon)) Refuse("needs an area, but its corners are in one line");
  sum *= 1.0f / area;
  return sum;
}

}  // namespace

Shape Shape::Circle(Vec2 center, float radius) {
  Shape shape;
  shape.kind = ShapeKind::kCircle;
  shape.count = 1;
  shape.radius = radius;
  shape.vertices[0] = center;
  return shape;
}

Shape Shape::Edge(Vec2 from, Vec2 to) {
  Shape shape;
  shape.kind = ShapeKind::kEdge;
  shape.count = 2;
  shape.radius = kPolygonRadius;
  shape.vertices[0] = from;
  shape.vertices[1] = to;
  return shape;
}

Shape Shape::Rectangle(float hx, float hy) {
  Shape shape;
  shape.kind = ShapeKind::kPolygon;
  shape.count = 4;
  shape.radius = kPolygonRadius;
  shape.vertices = {Vec2{-hx, -hy}, Vec2{hx, -hy}, Vec2{hx, hy}, Vec2{-hx, hy}};
  shape.normals = {Vec2{0.0f, -1.0f}, Vec2{1.0f, 0.0f}, Vec2{0.0f, 1.0f}, Vec2{-1.0f, 0.0f}};
  return shape;
}

Shape Shape::Polygon(NumberedSpan<const Vec2> points) {
  if (points.size() < 3 || points.size() > static_cast<std::size_t>(kMaxPolygonVertices)) {
    Refuse("has 3 to " + std::to_string(kMaxPolygonVertices) + " points, not " +
           std::to_string(points.size()));
  }
  NumberedArray<int, kMaxPolygonVertices> hull{};
  const int corners = Wrap(points, hull);
  if (corners < 3) Refuse("needs three corners, but its points are in one line");
  Shape shape;
  shape.kind = ShapeKind::kPolygon;
  shape.count = corners;
  shape.radius = kPolygonRadius;
  for (int i = 0; i < corners; ++i) shape.vertices[i] = points[hull[i]];
  for (int i = 0; i < corners; ++i) {
    const Vec2 side = shape.vertices[i + 1 < corners ? i + 1 : 0] - shape.vertices[i];
    if (!(LengthSquared(side) > kEpsilon * kEpsilon)) Refuse("has two equal corners");
    shape.normals[i] = Cross(side, 1.0f);
    Normalize(shape.normals[i]);
  }
  shape.centroid = CentroidOf(shape.Vertices());
  return shape;
}

Box Shape::BoundsAt(const Transform& where) const {
  if (kind == ShapeKind::kCircle) {
    const Vec2 p = where.p + Rotate(where.q, vertices[0]);
    return {{p.x - radius, p.y - radius}, {p.x + radius, p.y + radius}};
  }
  Vec2 lower = Apply(where, vertices[0]);
  Vec2 upper = lower;
  for (int i = 1; i < count; ++i) {
    const Vec2 v = Apply(where, vertices[i]);
    lower = Min(lower, v);
    upper = Max(upper, v);
  }
  const Vec2 skin{radius, radius};
  return {lower - skin, upper + skin};
}

MassData Shape::MassOf(float density) const {
  MassData data;
  if (kind == ShapeKind::kCircle) {
    data.mass = density * kPi * radius * radius;
    data.center = vertices[0];
    data.inertia = data.mass * (0.5f * radius * radius + Dot(vertices[0], vertices[0]));
    return data;
  }
  if (kind == ShapeKind::kEdge) {
    data.center = 0.5f * (vertices[0] + vertices[1]);
    return data;
  }
  constexpr float kThird = 1.0f / 3.0f;
  // Sums over the triangles between a point inside and each side.
  Vec2 inside;
  for (const Vec2 v : Vertices()) inside += v;
  inside *= 1.0f / static_cast<float>(count);
  Vec2 center;
  float area = 0.0f;
  float inertia = 0.0f;
  for (int i = 0; i < count; ++i) {
    const Vec2 e1 = vertices[i] - inside;
    const Vec2 e2 = vertices[i + 1 < count ? i + 1 : 0] - inside;
    const float d = Cross(e1, e2);
    const float triangle = 0.5f * d;
    area += triangle;
    center += triangle * kThird * (e1 + e2);
    const float x2 = e1.x * e1.x + e2.x * e1.x + e2.x * e2.x;
    const float y2 = e1.y * e1.y + e2.y * e1.y + e2.y * e2.y;
    inertia += (0.25f * kThird * d) * (x2 + y2);
  }
  data.mass = density * area;
  center *= 1.0f / area;
  data.center = center + inside;
  data.inertia = density * inertia;
  data.inertia += data.mass * (Dot(data.center, data.center) - Dot(center, center));
  return data;
}

std::optional<RayHit> Shape::Cast(const Ray& ray, const Transform& where) const {
  switch (kind) {
    case ShapeKind::kCircle:
      return CastCircle(ray, where);
    case ShapeKind::kEdge:
      return CastEdge(ray, where);
    default:
      return CastPolygon(ray, where);
  }
}

std::optional<RayHit> Shape::CastCircle(const Ray& ray, const Transform& where) const {
  const Vec2 center = where.p + Rotate(where.q, vertices[0]);
  const Vec2 s = ray.p1 - center;
  const float b = Dot(s, s) - radius * radius;
  const Vec2 r = ray.p2 - ray.p1;
  const float c = Dot(s, r);
  const float rr = Dot(r, r);
  const float sigma = c * c - rr * b;
  if (sigma < 0.0f || rr < kEpsilon) return {};
  float a = -(c + std::sqrt(sigma));
  if (!(0.0f <= a && a <= ray.max_fraction * rr)) return {};
  a /= rr;
  RayHit hit{a, s + a * r};
  Normalize(hit.normal);
  return hit;
}

std::optional<RayHit> Shape::CastEdge(const Ray& ray, const Transform& where) const {
  const Vec2 p1 = RotateBack(where.q, ray.p1 - where.p);
  const Vec2 p2 = RotateBack(where.q, ray.p2 - where.p);
  const Vec2 d = p2 - p1;
  const Vec2 v1 = vertices[0];
  const Vec2 e = vertices[1] - v1;
  Vec2 normal{e.y, -e.x};
  Normalize(normal);
  const float numerator = Dot(normal, v1 - p1);
  const float denominator = Dot(normal, d);
  if (denominator == 0.0f) return {};
  const float t = numerator / denominator;
  if (t < 0.0f || ray.max_fraction < t) return {};
  const Vec2 q = p1 + t * d;
  const float ee = Dot(e, e);
  if (ee == 0.0f) return {};
  const float s = Dot(q - v1, e) / ee;
  if (s < 0.0f || 1.0f < s) return {};
  const Vec2 turned = Rotate(where.q, normal);
  return RayHit{t, numerator > 0.0f ? -turned : turned};
}

std::optional<RayHit> Shape::CastPolygon(const Ray& ray, const Transform& where) const {
  const Vec2 p1 = RotateBack(where.q, ray.p1 - where.p);
  const Vec2 p2 = RotateBack(where.q, ray.p2 - where.p);
  const Vec2 d = p2 - p1;
  float lower = 0.0f;
  float upper = ray.max_fraction;
  int side = kNone;
  for (int i = 0; i < count; ++i) {
    const float numerator = Dot(normals[i], vertices[i] - p1);
    const float denominator = Dot(normals[i], d);
    if (denominator == 0.0f) {
      if (numerator < 0.0f) return {};
    } else if (denominator < 0.0f && numerator < lower * denominator) {
      lower = numerator / denominator;  // the ray enters the half plane here
      side = i;
    } else if (denominator > 0.0f && numerator < upper * denominator) {
      upper = numerator / denominator;  // the ray leaves the half plane here
    }
    if (upper < lower) return {};
  }
  if (side == kNone) return {};
  return RayHit{lower, Rotate(where.q, normals[side])};
}

}  // namespace engine::physics2d
