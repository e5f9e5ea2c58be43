// What every task of the family has: a model, how long a step lasts, and the
// parts of its spec that follow from them. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_BASICS_H_
#define ENGINE_ENVS_MUJOCO_BASICS_H_

#include <cstdint>

#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco {

// What every task reads of its options.
struct Basics {
  explicit Basics(const ParamValues& options);

  Model model;
  int frame_skip;  // steps of the physics in a step of the environment
  double dt;       // seconds that a step lasts
  Renderer renderer;
};

// What a step's health is worth. In v4 every step counts as healthy where it ends the episode not
// to be; Config has `healthy_reward` and `terminates`.
template <Version kVersion, class Config>
double HealthyReward(bool healthy, const Config& config) {
  const bool counts = healthy || (kVersion == Version::kV4 && config.terminates);
  return (counts ? 1.0 : 0.0) * config.healthy_reward;
}

// What every task's spec has; infos come on top.
EnvSpec SpecOf(const Basics& basics, std::int64_t observation_size);
InfoSpec Number(const char* name, DType dtype = DType::kFloat64);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_BASICS_H_
