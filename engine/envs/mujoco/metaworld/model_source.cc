// See the header.
#include "engine/envs/mujoco/metaworld/model_source.h"

#include "engine/base/error.h"

namespace engine::mujoco::metaworld {
namespace {

ModelSource model_source = nullptr;  // written once, before any thread reads it

}  // namespace

void SetModelSource(ModelSource source) { model_source = source; }

BaseModelPtr PackageModel(const std::string& name) {
  if (model_source == nullptr) {
    throw Error(ErrorKind::kInternal, "expected a source of the models, got none");
  }
  return LoadModel(model_source(name));
}

}  // namespace engine::mujoco::metaworld
