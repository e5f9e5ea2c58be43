// The tasks of the DeepMind Control Suite. Called once, by the extension module.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_REGISTER_H_

#include "engine/env/registry.h"

namespace engine::mujoco::suite {

// Requires: the library is open and has_suite(), and the source of models is set. Throws
// Error{kInternal} if the tasks are registered already.
void RegisterSuite(Registry& registry);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_REGISTER_H_
