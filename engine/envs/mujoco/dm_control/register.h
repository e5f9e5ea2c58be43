// Registers the tasks of the DeepMind Control Suite. The extension module calls this once.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_REGISTER_H_

#include "engine/tasks/registry.h"

namespace engine::mujoco::suite {

// Requires: the library is open, UsedLayout().has_suite() is true, and the source of models is set.
// Throws Error{kInternal} if the tasks are already registered.
void RegisterSuite(Registry& registry);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_REGISTER_H_
