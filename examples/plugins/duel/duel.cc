// The extension module. Importing it adds the task.
#include "duel.h"

ENVPOOL_PLUGIN(duel) { registry.Add<Duel>("Duel-v0", {.max_episode_steps = 60}); }
