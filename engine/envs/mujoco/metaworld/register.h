// Registers the tasks of MetaWorld. The extension module calls this once.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_REGISTER_H_

#include "engine/tasks/registry.h"

namespace engine::mujoco::metaworld {

// Requires: the library is open, and SetModelSource was called. Throws Error{kInternal} if the
// tasks are already registered.
void RegisterMetaWorld(Registry& registry);

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_REGISTER_H_
