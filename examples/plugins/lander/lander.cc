// The module: its import adds the tasks.
#include "lander.h"

ENVPOOL_PLUGIN(lander) { registry.Add<Lander>("Lander-v0", {.max_episode_steps = 400}); }
