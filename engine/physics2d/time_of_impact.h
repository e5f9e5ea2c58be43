// Computes when two moving shapes begin to touch, by conservative advancement along separating
// axes. Pure functions; any thread.
#ifndef ENGINE_PHYSICS2D_TIME_OF_IMPACT_H_
#define ENGINE_PHYSICS2D_TIME_OF_IMPACT_H_

#include <optional>

#include "engine/physics2d/geometry.h"
#include "engine/physics2d/shape.h"

namespace engine::physics2d {

// Returns the fraction of the sweeps, in [0, 1], at which the shapes begin to touch. Returns
// nullopt if they do not touch, if they overlap from the beginning, or if the search fails.
std::optional<float> TimeOfImpact(const Shape& a, const Sweep& sweep_a, const Shape& b,
                                  const Sweep& sweep_b);

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_TIME_OF_IMPACT_H_
