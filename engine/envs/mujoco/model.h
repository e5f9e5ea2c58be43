// A compiled model, shared by all environments of a pool. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_H_
#define ENGINE_ENVS_MUJOCO_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "engine/env/spec.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/mujoco_types.h"
#include "engine/envs/mujoco/physics_model.h"

namespace engine::mujoco {

// Sets the directory of the models that are named without a directory, which is Gymnasium's
// directory of models. Called once, with the GIL, before any task is registered.
void SetAssetDirectory(std::string directory);

// The XML text of a model, and the name of the model in messages.
struct ModelText {
  std::string name;
  std::string xml;
};

class Model {
 public:
  // Compiles the file of the option `xml_file`. As in Gymnasium, the option is a path that begins
  // with '/', '.' or '~', or the name of one of Gymnasium's files. Throws Error{kOption} if the
  // file is missing or cannot be compiled.
  explicit Model(const std::string& xml_file);
  // Compiles a text that does not include files. Throws Error{kOption} if it cannot be compiled.
  explicit Model(const ModelText& text);

  const ModelFields& operator*() const { return fields_; }
  const ModelFields* operator->() const { return &fields_; }
  const mjModel* get() const { return model_.get(); }
  // The caller may change numbers in the arrays of the model before any environment is made. The
  // changes also apply to physics().
  mjModel* get() { return model_.get(); }
  // Returns the model for calls that advance an mjData. The results are the same as with get(), but
  // the calls take less time.
  const mjModel* physics() const { return physics_->get(); }

  // Returns the id of a body. Throws Error{kOption} if the model has no body of this name.
  int BodyId(const std::string& name) const;
  // Throws Error{kOption} unless the model has at least `needed` elements of a kind that the task
  // reads: RequireAtLeast(3, model->nq, "positions (nq)").
  void RequireAtLeast(int needed, std::int64_t present, const char* what) const;

  // Enlarges the buffers for pictures to at least this size (pixels).
  void GrowPictures(int width, int height);

  // Returns the ranges of the controls, in float32 as in Gymnasium.
  SpaceSpec ActionSpace() const;

 private:
  struct Deleter {
    void operator()(mjModel* model) const;
  };

  // Takes ownership of a compiled model.
  void Adopt(mjModel* model);

  std::string file_;
  std::unique_ptr<mjModel, Deleter> model_;
  ModelFields fields_;  // members of *model_
  std::unique_ptr<const PhysicsModel> physics_;
};

// Returns a float64 space of shape (size,) without bounds.
SpaceSpec ObservationSpace(std::int64_t size);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_H_
