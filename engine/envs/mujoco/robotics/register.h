// Registers the tasks of Gymnasium-Robotics. The extension module calls this once.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_REGISTER_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_REGISTER_H_

#include "engine/tasks/registry.h"

namespace engine::mujoco::robotics {

// Requires: the library is open, the asset directory is set, and SetModelSource was called. Throws
// Error{kInternal} if the tasks are already registered.
void RegisterRobotics(Registry& registry);

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_REGISTER_H_
