// Solves the velocities of islands of several worlds at once, one island in each lane of a vector.
//
// An island's iterations are one long chain of operations that wait for each other, so a processor
// is mostly idle while it solves a single one. The results are bitwise equal to those of
// Island::SolveVelocities: the operations of a lane are the same, in the same order. Contacts are
// solved lane by lane.
#ifndef ENGINE_PHYSICS2D_VELOCITY_LANES_H_
#define ENGINE_PHYSICS2D_VELOCITY_LANES_H_

#include <span>

#include "engine/physics2d/island.h"

namespace engine::physics2d {

// Solves the velocities of each island with this number of iterations. Islands that cannot share a
// vector, because their joints connect their bodies in other ways, are solved alone.
void SolveVelocities(std::span<Island* const> islands, int iterations);

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_VELOCITY_LANES_H_
