// A model as MuJoCo compiled it. The environments of all pools share it, whatever they change in
// it: a setting of an environment has a ModelVariant. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_BASE_MODEL_H_
#define ENGINE_ENVS_MUJOCO_BASE_MODEL_H_

#include <memory>
#include <string>

#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

// Sets the directory of the models that are named without a directory, which is Gymnasium's
// directory of models. Called before any task is registered; a later call, by another family, names
// the same directory.
void SetAssetDirectory(std::string directory);

struct ModelDeleter {
  void operator()(mjModel* model) const { Library().delete_model(model); }
};
using OwnedModel = std::unique_ptr<mjModel, ModelDeleter>;

class BaseModel {
 public:
  // Takes ownership of a compiled model. `name` is its name in messages. Throws Error{kOption} if
  // no frame rate follows from its time step.
  BaseModel(mjModel* model, std::string name);
  ~BaseModel();
  BaseModel(const BaseModel&) = delete;
  BaseModel& operator=(const BaseModel&) = delete;

  const mjModel* get() const { return model_.get(); }
  const std::string& name() const { return name_; }

 private:
  const OwnedModel model_;
  const std::string name_;
};
using BaseModelPtr = std::shared_ptr<const BaseModel>;

// Return the compiled model of a file, or of a text that does not depend on the time of the call.
// As long as a model is in use, a call for it returns it, and does not compile it again, unless its
// files have changed (model_files.h).
//
// As in Gymnasium, `xml_file` is a path that begins with '/', '.' or '~', or the name of one of
// Gymnasium's files. `text_of` returns the text of a name. Throw Error{kOption} if the file is
// missing, or the text cannot be compiled.
BaseModelPtr LoadModel(const std::string& xml_file);
BaseModelPtr CompileModel(const std::string& name, std::string (*text_of)(const std::string&));
// Returns the compiled model of a text. `name` is its name in messages.
BaseModelPtr CompileText(const std::string& name, const std::string& text);

// Throws Error{kOption} for a problem of a model.
[[noreturn]] void ThrowUnfit(const std::string& model, const std::string& problem);

// The number of compiled models that exist. For tests.
int NumBaseModels();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_BASE_MODEL_H_
