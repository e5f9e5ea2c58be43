// The tasks of the Procgen family. Called once, by the extension module.
#ifndef ENGINE_ENVS_PROCGEN_REGISTER_H_
#define ENGINE_ENVS_PROCGEN_REGISTER_H_

#include "engine/tasks/registry.h"

namespace engine::procgen {

// Throws Error{kInternal} if the tasks are registered already.
void RegisterProcgen(Registry& registry);

}  // namespace engine::procgen

#endif  // ENGINE_ENVS_PROCGEN_REGISTER_H_
