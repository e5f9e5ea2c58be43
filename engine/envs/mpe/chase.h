// What the scenarios in which adversaries chase good agents have in common: as in simple_tag_v3 and
// simple_world_comm_v3 of MPE2 1.1.1. Adversaries have the first numbers.
#ifndef ENGINE_ENVS_MPE_CHASE_H_
#define ENGINE_ENVS_MPE_CHASE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mpe/world.h"

namespace engine::mpe {

// The number of adversaries that touch a good agent.
inline std::size_t Catchers(const World& world, std::size_t num_adversaries, std::size_t good) {
  std::size_t count = 0;
  for (std::size_t adversary = 0; adversary < num_adversaries; ++adversary)
    count += world.Touch(adversary, good) ? 1U : 0U;
  return count;
}

// The number of pairs of an adversary and a good agent that touch.
inline std::size_t Catches(const World& world, std::size_t num_adversaries) {
  std::size_t count = 0;
  for (std::size_t good = num_adversaries; good < world.num_agents(); ++good)
    count += Catchers(world, num_adversaries, good);
  return count;
}

// The number of good agents that an agent touches; 0 for a good agent.
inline std::size_t CaughtBy(const World& world, std::size_t num_adversaries, std::size_t agent) {
  std::size_t count = 0;
  if (agent >= num_adversaries) return count;
  for (std::size_t good = num_adversaries; good < world.num_agents(); ++good)
    count += world.Touch(good, agent) ? 1U : 0U;
  return count;
}

// The penalty of a good agent for a coordinate near the border of the square [-1, 1]^2 or outside.
inline double BorderPenalty(double coordinate) {
  const double x = std::abs(coordinate);
  if (x < 0.9) return 0.0;
  if (x < 1.0) return (x - 0.9) * 10.0;
  return std::min(NumpyExp(2.0 * x - 2.0), 10.0);
}

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_CHASE_H_
