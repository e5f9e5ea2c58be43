// The ids, limits and thresholds of Gymnasium 1.4.0's Box2D tasks, and the ids that EnvPool has for
// them. Called once when the engine's module is loaded.
#include "engine/env/registry.h"
#include "engine/envs/box2d/bipedal_walker.h"
#include "engine/envs/box2d/lunar_lander.h"

namespace engine {

void RegisterBox2d(Registry& registry) {
  using box2d::BipedalWalker;
  using box2d::LunarLander;
  constexpr TaskLimits kLanding{.max_episode_steps = 1000, .reward_threshold = 200.0};
  registry.Add<LunarLander>("LunarLander-v2", kLanding);
  registry.Add<LunarLander>("LunarLander-v3", kLanding);
  registry.Add<LunarLander>("LunarLanderContinuous-v2", kLanding, LunarLander::OptionsOf(true));
  registry.Add<LunarLander>("LunarLanderContinuous-v3", kLanding, LunarLander::OptionsOf(true));
  registry.Add<BipedalWalker>("BipedalWalker-v3",
                              {.max_episode_steps = 1600, .reward_threshold = 300.0});
  registry.Add<BipedalWalker>("BipedalWalkerHardcore-v3",
                              {.max_episode_steps = 2000, .reward_threshold = 300.0},
                              BipedalWalker::OptionsOf(true));
}

}  // namespace engine
