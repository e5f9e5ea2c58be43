// The points at which two shapes touch, at most two. They are stored in the frames of the bodies,
// so that the solver can update them while the bodies move.
#ifndef ENGINE_PHYSICS2D_MANIFOLD_H_
#define ENGINE_PHYSICS2D_MANIFOLD_H_

#include <cstdint>

#include "engine/physics2d/geometry.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {

inline constexpr int kMaxManifoldPoints = 2;

// The vertices and faces of A and B that form a contact point. If the previous step had a point
// with the same features, it is the same point and keeps its impulses.
struct ContactFeature {
  enum Type : std::uint8_t { kVertex, kFace };

  std::uint8_t index_a = 0;
  std::uint8_t index_b = 0;
  Type type_a = kVertex;
  Type type_b = kVertex;

  ContactFeature Swapped() const { return {index_b, index_a, type_b, type_a}; }
  friend bool operator==(const ContactFeature&, const ContactFeature&) = default;
};

struct ManifoldPoint {
  Vec2 local_point;              // kCircles, kFaceA: in the frame of B; kFaceB: of A
  float normal_impulse = 0.0f;   // kg m/s, of the latest step
  float tangent_impulse = 0.0f;  // friction
  ContactFeature feature;
};

struct Manifold {
  enum Type : std::uint8_t {
    kCircles,  // two points at a distance; local_point is the point of A
    kFaceA,    // a face of A, with the normal local_normal through local_point, and points of B
    kFaceB,    // as kFaceA, with A and B exchanged
  };

  NumberedArray<ManifoldPoint, kMaxManifoldPoints> points;
  Vec2 local_normal;
  Vec2 local_point;
  Type type = kCircles;
  std::int32_t count = 0;  // of points; 0: the shapes do not touch
};

// The points of a manifold in world coordinates, halfway between the two surfaces, and the normal
// from A to B.
struct WorldManifold {
  Vec2 normal;
  NumberedArray<Vec2, kMaxManifoldPoints> points;

  WorldManifold(const Manifold& manifold, const Transform& a, float radius_a, const Transform& b,
                float radius_b);
};

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_MANIFOLD_H_
