// Steps the worlds of many environments, whose velocities are solved together.
#ifndef ENGINE_ENVS_BOX2D_WORLDS_TOGETHER_H_
#define ENGINE_ENVS_BOX2D_WORLDS_TOGETHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/step_range.h"
#include "engine/envs/box2d/viewport.h"
#include "engine/physics2d/velocity_lanes.h"

namespace engine::box2d {

// Steps the worlds of environments 0 to n - 1, at most kMostTogether. begin(k) begins the step of a
// world and proceed(k) continues it; both return its next island or null, as World::BeginStep does.
template <class Begin, class Proceed>
void StepWorldsTogether(std::uint32_t n, Begin&& begin, Proceed&& proceed) {
  std::array<physics2d::Island*, kMostTogether> islands;
  std::array<std::uint32_t, kMostTogether> envs;
  std::uint32_t count = 0;
  const auto add = [&](std::uint32_t env, physics2d::Island* island) {
    if (island == nullptr) return;
    islands[count] = island;
    envs[count++] = env;
  };
  for (std::uint32_t env = 0; env < n; ++env) add(env, begin(env));
  while (count > 0) {
    physics2d::SolveVelocities(std::span(islands).first(count), kVelocityIterations);
    const std::uint32_t solved = count;
    count = 0;
    for (std::uint32_t i = 0; i < solved; ++i) {
      const std::uint32_t env = envs[i];  // before add() overwrites it
      add(env, proceed(env));
    }
  }
}

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_WORLDS_TOGETHER_H_
