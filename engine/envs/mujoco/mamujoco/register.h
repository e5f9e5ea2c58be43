// Registers the scenarios of MaMuJoCo. The extension module calls this once.
#ifndef ENGINE_ENVS_MUJOCO_MAMUJOCO_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_MAMUJOCO_REGISTER_H_

#include "engine/tasks/registry.h"

namespace engine::mujoco::mamujoco {

// Requires: the library is open, the asset directory is set, and SetModelSource was called. Throws
// Error{kInternal} if the scenarios are already registered.
void RegisterMaMujoco(Registry& registry);

}  // namespace engine::mujoco::mamujoco

#endif  // ENGINE_ENVS_MUJOCO_MAMUJOCO_REGISTER_H_
