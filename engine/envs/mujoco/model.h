// The model of a setting: a compiled model with the changes of the option `model`. All environments
// with the setting share it. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_H_
#define ENGINE_ENVS_MUJOCO_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/model_variant.h"
#include "engine/envs/mujoco/mujoco_types.h"
#include "engine/envs/mujoco/physics_model.h"

namespace engine::mujoco {

class Model {
 public:
  // A compiled model, with the changes of the option `model`. The caller may write into the arrays
  // `own` before any environment is made; physics() has these numbers, too. `prepare` writes into
  // them what the reference does before a program can change the model. Throws Error{kOption} if a
  // change is wrong.
  Model(BaseModelPtr base, const ParamValues& options, std::span<const Offset> own = {},
        Preparation prepare = nullptr);

  const ModelFields& operator*() const { return fields_; }
  const ModelFields* operator->() const { return &fields_; }
  const mjModel* get() const { return variant_.get(); }
  mjModel* get() { return variant_.get(); }
  // The model without changes. Gymnasium and dm_control read some of it when they make an
  // environment, before a program can change the model: the spaces, the initial positions and the
  // frame rate.
  const ModelFields& unchanged() const { return unchanged_; }
  const mjModel* base() const { return base_->get(); }
  const BaseModelPtr& shared_base() const { return base_; }
  // Returns the model for calls that advance an mjData. The results are the same as with get(), but
  // the calls take less time.
  const mjModel* physics() const { return physics_->get(); }

  // The signature of all parts of the state from which a simulation continues (MuJoCo's
  // mjSTATE_INTEGRATION), and the number of their values.
  int state_signature() const { return state_signature_; }
  std::size_t state_size() const { return state_size_; }

  // Return the id of an object by its name. Throw Error{kOption} if the model has none.
  int BodyId(const std::string& name) const { return Id(kObjectBody, "body", name); }
  int GeomId(const std::string& name) const { return Id(kObjectGeom, "geom", name); }
  int SiteId(const std::string& name) const { return Id(kObjectSite, "site", name); }
  int JointId(const std::string& name) const { return Id(kObjectJoint, "joint", name); }
  int SensorId(const std::string& name) const { return Id(kObjectSensor, "sensor", name); }
  // Throws Error{kOption} unless the model has at least `needed` elements of a kind that the task
  // reads: RequireAtLeast(3, model->nq, "positions (nq)").
  void RequireAtLeast(int needed, std::int64_t present, const char* what) const;

  // Returns the number of equality constraints.
  std::int64_t num_equalities() const;

  // Enlarges the buffers for pictures to at least this size (pixels).
  void GrowPictures(int width, int height);

  // Returns the ranges of the controls without changes, in float32 as in Gymnasium.
  SpaceSpec ActionSpace() const;

 private:
  int Id(int type, const char* kind, const std::string& name) const;

  BaseModelPtr base_;
  ModelFields unchanged_;  // members of *base_
  ModelVariant variant_;
  ModelFields fields_;  // members of *variant_
  std::unique_ptr<const PhysicsModel> physics_;
  int state_signature_ = 0;
  std::size_t state_size_ = 0;
};

// Returns a float64 space of shape (size,) without bounds.
SpaceSpec ObservationSpace(std::int64_t size);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_H_
