// The plug-in of `python -m benchmarks.plugins`: classes of the core, compiled as those of a user.
#include <envpool.h>

#include "engine/envs/classic_control/cartpole.h"
#include "engine/envs/classic_control/pendulum.h"

ENVPOOL_PLUGIN(pole_plugin) {
  using namespace engine::classic_control;
  registry.Add<CartPole>("Plugin/CartPole-v1",
                         {.max_episode_steps = 500, .reward_threshold = 475.0});
  registry.Add<Pendulum>("Plugin/Pendulum-v1", {.max_episode_steps = 200});
}
