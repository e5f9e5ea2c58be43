// The extension module. Importing it adds the task.
#include "lander.h"

ENVPOOL_PLUGIN(lander) { registry.Add<Lander>("Lander-v0", {.max_episode_steps = 400}); }
