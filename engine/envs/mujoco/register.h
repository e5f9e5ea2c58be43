// The tasks of the MuJoCo family. Called once, by the extension module.
#ifndef ENGINE_ENVS_MUJOCO_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_REGISTER_H_

#include "engine/env/registry.h"

namespace engine::mujoco {

// Requires: the library is open, and the asset directory is set. Throws Error{kInternal} if the
// tasks are registered already.
void RegisterMujoco(Registry& registry);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_REGISTER_H_
