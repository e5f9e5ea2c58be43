// The common part of all tasks: a model, the duration of a step, and the parts of the spec that
// follow from them. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_BASICS_H_
#define ENGINE_ENVS_MUJOCO_BASICS_H_

#include <cstdint>

#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco {

// The options that every task has.
struct Basics {
  explicit Basics(const ParamValues& options);

  Model model;
  int frame_skip;  // steps of the physics in a step of the environment
  double dt;       // seconds that a step lasts
  Renderer renderer;
};

// The reward of a step for being healthy. In v4, if unhealthy states do not end the episode, every
// step counts as healthy; Config has `healthy_reward` and `terminates`.
template <Version kVersion, class Config>
double HealthyReward(bool healthy, const Config& config) {
  const bool counts = healthy || (kVersion == Version::kV4 && config.terminates);
  return (counts ? 1.0 : 0.0) * config.healthy_reward;
}

// The common part of every task's spec; tasks add infos.
EnvSpec SpecOf(const Basics& basics, std::int64_t observation_size);
InfoSpec Number(const char* name, DType dtype = DType::kFloat64);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_BASICS_H_
