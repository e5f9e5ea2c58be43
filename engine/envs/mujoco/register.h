// Registers the tasks of the MuJoCo family. The extension module calls this once.
#ifndef ENGINE_ENVS_MUJOCO_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_REGISTER_H_

#include "engine/tasks/registry.h"

namespace engine::mujoco {

// Requires: the library is open, and the asset directory is set. Throws Error{kInternal} if the
// tasks are already registered.
void RegisterMujoco(Registry& registry);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_REGISTER_H_
