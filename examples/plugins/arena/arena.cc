// The extension module. Importing it adds the task.
#include "arena.h"

ENVPOOL_PLUGIN(arena) { registry.Add<Arena>("Arena-v0", {.max_episode_steps = 200}); }
