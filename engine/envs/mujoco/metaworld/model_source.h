// Where the models of MetaWorld come from. SetModelSource is called once, before any task is
// registered; any thread may call PackageModel.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_MODEL_SOURCE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_MODEL_SOURCE_H_

#include <string>

#include "engine/envs/mujoco/base_model.h"

namespace engine::mujoco::metaworld {

// A function that returns the path of a model of the package, whose name is without ".xml". It is
// called without the GIL, and throws Error{kOption} if there is no such model.
using ModelSource = std::string (*)(const std::string& name);
void SetModelSource(ModelSource source);

// Returns the compiled model. Throws Error{kOption} if it is missing or cannot be compiled.
BaseModelPtr PackageModel(const std::string& name);

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_MODEL_SOURCE_H_
