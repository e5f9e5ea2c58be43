// The extension module. Importing it adds the tasks.
#include "cartpole_simd.h"

ENVPOOL_PLUGIN(cartpole_simd) {
  const engine::TaskLimits limits{.max_episode_steps = 500, .reward_threshold = 475.0};
  registry.Add<SimdCartPole>("SimdCartPole-v1", limits);
  registry.Add<PlainCartPole>("PlainCartPole-v1", limits);
}
