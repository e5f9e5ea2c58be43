// The distance between two convex shapes, by the algorithm of Gilbert, Johnson and Keerthi. Pure
// functions; any thread.
#ifndef ENGINE_PHYSICS2D_DISTANCE_H_
#define ENGINE_PHYSICS2D_DISTANCE_H_

#include <cstdint>

#include "engine/physics2d/geometry.h"
#include "engine/physics2d/numbered.h"
#include "engine/physics2d/shape.h"

namespace engine::physics2d {

// The vertices of the two shapes that were nearest to each other. The next search starts from them.
struct NearestFeatures {
  float metric = 0.0f;  // length or area of the simplex
  int count = 0;        // of the pairs of vertices below, at most 3
  std::uint8_t index_a[3] = {};
  std::uint8_t index_b[3] = {};
};

// Returns the index of the vertex that is farthest in a direction; of several, the first.
int FarthestVertex(NumberedSpan<const Vec2> vertices, Vec2 direction);

// The distance between the shapes without their radii. `features` may be the features of an earlier
// call, and is set to the features of this call.
float CoreDistance(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
                   NearestFeatures& features);

// Whether the shapes, with their radii, touch or overlap.
bool Touch(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b);

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_DISTANCE_H_
