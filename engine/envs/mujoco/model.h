// A compiled model, shared by all environments of a pool. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_H_
#define ENGINE_ENVS_MUJOCO_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "engine/env/spec.h"
#include "engine/envs/mujoco/abi.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/physics_model.h"

namespace engine::mujoco {

// The directory for models that are named without a directory: Gymnasium's own. Set once, with the
// GIL, before any task is registered.
void SetAssetDirectory(std::string directory);

// The text of a model, and its name for messages.
struct ModelText {
  std::string name;
  std::string xml;
};

class Model {
 public:
  // Compiles the file of the option `xml_file`, which has the same form as in Gymnasium: a path
  // that begins with '/', '.' or '~', or the name of one of Gymnasium's files. Throws
  // Error{kOption} if the file is missing or cannot be compiled.
  explicit Model(const std::string& xml_file);
  // Compiles a text that includes no files. Throws Error{kOption} if it cannot be compiled.
  explicit Model(const ModelText& text);

  const ModelFields& operator*() const { return fields_; }
  const ModelFields* operator->() const { return &fields_; }
  const mjModel* get() const { return model_.get(); }
  // For changes of numbers in its arrays before any environment is made. They apply to physics(),
  // too.
  mjModel* get() { return model_.get(); }
  // The model for calls that advance an mjData. Gives the same results as the original in less
  // time.
  const mjModel* physics() const { return physics_->get(); }

  // The id of a body that the task needs: throws Error{kOption} if there is none of that name.
  int BodyId(const std::string& name) const;
  // Throws Error{kOption} unless the model has at least this many of something that the task reads:
  // RequireAtLeast(3, model->nq, "positions (nq)").
  void RequireAtLeast(int needed, std::int64_t present, const char* what) const;

  // Reserves buffers for pictures of this size (pixels), in addition to the size in the model's
  // file.
  void GrowPictures(int width, int height);

  // The controls' ranges, in float32 as in Gymnasium.
  SpaceSpec ActionSpace() const;

 private:
  struct Deleter {
    void operator()(mjModel* model) const;
  };

  // Takes ownership of a compiled model.
  void Adopt(mjModel* model);

  std::string file_;
  std::unique_ptr<mjModel, Deleter> model_;
  ModelFields fields_;  // of model_
  std::unique_ptr<const PhysicsModel> physics_;
};

// float64, without bounds.
SpaceSpec ObservationSpace(std::int64_t size);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_H_
