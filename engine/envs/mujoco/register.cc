// The MuJoCo family's ids, limits and thresholds: those of Gymnasium 1.4.0.
#include "engine/envs/mujoco/register.h"

#include "engine/envs/mujoco/half_cheetah.h"

namespace engine::mujoco {

void RegisterMujoco(Registry& registry) {
  registry.Add<HalfCheetahV4>("HalfCheetah-v4",
                              {.max_episode_steps = 1000, .reward_threshold = 4800.0});
  registry.Add<HalfCheetahV5>("HalfCheetah-v5",
                              {.max_episode_steps = 1000, .reward_threshold = 4800.0});
}

}  // namespace engine::mujoco
