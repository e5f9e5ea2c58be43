// The model of a task, which all environments with a setting share, and the variants of the model
// that belong to single environments. Any thread may read a shared model.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_SUITE_MODEL_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_SUITE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/env/params.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/dm_control/fields.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/model_copy.h"

namespace engine::mujoco::suite {

// A function that returns the XML text of a model. `key` is its name, such as "cartpole 2". The
// function is called without the GIL, and throws Error{kOption} if there is no such model.
// SetModelSource is called once, before any task is registered.
using ModelSource = std::string (*)(const std::string& key);
void SetModelSource(ModelSource source);

// An array of mjModel that a task writes into. Each environment of the task has its own array.
enum class OwnArray : std::uint8_t {
  kBodyPos,
  kBodyQuat,
  kGeomPos,
  kHfieldData,
  kJointStiffness,
  kLightPos,
  kSitePos,
  kWrapPrm,
};

class SuiteModel {
 public:
  // Throws Error{kOption} if there is no such model, if it cannot be compiled, or if the option
  // `model` is wrong.
  SuiteModel(const std::string& key, const ParamValues& options);

  const std::string& key() const { return key_; }
  Model& model() { return model_; }
  const Model& model() const { return model_; }
  const ModelFields& fields() const { return *model_; }
  // Before the first environment is made, the caller may write into dof_damping, geom_size,
  // geom_rgba, site_size and site_rgba, which all environments of the setting share.
  const SuiteModelFields& suite_fields() const { return suite_fields_; }

  // Returns the model for calls that advance an mjData: Model::physics() without the computation of
  // energies, which no task reads.
  const mjModel* physics() const { return actuated_.get(); }
  // Returns physics() with actuation disabled.
  const mjModel* unactuated() const { return unactuated_.get(); }

  // Return ids and addresses by name. Throw Error{kOption} if the model has no such name.
  int Body(const char* name) const { return Id(kObjectBody, "body", name); }
  int Joint(const char* name) const { return Id(kObjectJoint, "joint", name); }
  int Geom(const char* name) const { return Id(kObjectGeom, "geom", name); }
  int Site(const char* name) const { return Id(kObjectSite, "site", name); }
  int Light(const char* name) const { return Id(kObjectLight, "light", name); }
  // These addresses are indices of mjData's sensordata, qpos and qvel.
  int Sensor(const char* name) const {
    return suite_fields_.sensor_adr[Id(kObjectSensor, "sensor", name)];
  }
  int Qpos(const char* joint) const { return suite_fields_.jnt_qposadr[Joint(joint)]; }
  int Dof(const char* joint) const { return suite_fields_.jnt_dofadr[Joint(joint)]; }

 private:
  int Id(int type, const char* kind, const char* name) const;

  std::string key_;
  Model model_;
  SuiteModelFields suite_fields_;  // members of model_
  ModelCopy actuated_;
  ModelCopy unactuated_;
};

// The model of one environment: the shared model, or a variant of it with its own arrays.
class EnvModel {
 public:
  EnvModel(const SuiteModel& shared, std::span<const OwnArray> own);

  const mjModel* physics() const { return physics_ ? physics_->get() : shared_.physics(); }
  const mjModel* unactuated() const {
    return unactuated_ ? unactuated_->get() : shared_.unactuated();
  }
  // Returns the model with all names, for pictures.
  const mjModel* drawn() const { return drawn_ ? drawn_->get() : shared_.model().get(); }

  const SuiteModel& shared() const { return shared_; }
  const ModelFields& fields() const { return shared_.fields(); }
  const SuiteModelFields& suite_fields() const { return suite_fields_; }
  bool has_own_hfield() const { return has_own_hfield_; }

  // Save and load the environment's own arrays.
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  const SuiteModel& shared_;
  std::unique_ptr<ModelCopy> physics_;
  std::unique_ptr<ModelCopy> unactuated_;
  std::unique_ptr<ModelCopy> drawn_;
  std::vector<std::vector<double>> arrays_;
  bool has_own_hfield_ = false;
  SuiteModelFields suite_fields_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_SUITE_MODEL_H_
