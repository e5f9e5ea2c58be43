// The extension module. Importing it adds the task.
#include "warehouse.h"

ENVPOOL_PLUGIN(warehouse) { registry.Add<Warehouse>("Warehouse-v0", {.max_episode_steps = 200}); }
