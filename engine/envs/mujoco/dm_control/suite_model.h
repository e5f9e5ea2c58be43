// The model of a task, shared by all environments of a pool, and the variants of it that belong to
// single environments. Any thread may read a shared model.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_SUITE_MODEL_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_SUITE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/env/state.h"
#include "engine/envs/mujoco/dm_control/fields.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/model_copy.h"

namespace engine::mujoco::suite {

// How the text of a model is found: called with its key, such as "cartpole 2", without the GIL.
// Throws Error{kOption} if there is none. Set once, before any task is registered.
using ModelSource = std::string (*)(const std::string& key);
void SetModelSource(ModelSource source);

// An array of mjModel that a task writes into. Each of its environments has its own.
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
  // Throws Error{kOption} if there is no such model or it cannot be compiled.
  explicit SuiteModel(const std::string& key);

  const std::string& key() const { return key_; }
  Model& model() { return model_; }
  const Model& model() const { return model_; }
  const ModelFields& fields() const { return *model_; }
  // Its arrays may be changed before the first environment is made, by the numbers that all
  // environments share.
  const SuiteModelFields& suite_fields() const { return suite_fields_; }

  // For calls that advance an mjData: Model::physics(), without the computation of energies, which
  // nothing reads.
  const mjModel* physics() const { return actuated_.get(); }
  // The same with actuation disabled.
  const mjModel* unactuated() const { return unactuated_.get(); }

  // All parts of the state that a simulation goes on from (MuJoCo's mjSTATE_INTEGRATION), and how
  // many numbers they are.
  int state_signature() const { return state_signature_; }
  std::size_t state_size() const { return state_size_; }

  // Ids and addresses by name. Throw Error{kOption} if there is none.
  int Body(const char* name) const { return Id(kObjectBody, "body", name); }
  int Joint(const char* name) const { return Id(kObjectJoint, "joint", name); }
  int Geom(const char* name) const { return Id(kObjectGeom, "geom", name); }
  int Site(const char* name) const { return Id(kObjectSite, "site", name); }
  int Light(const char* name) const { return Id(kObjectLight, "light", name); }
  // In mjData's sensordata, qpos and qvel.
  int Sensor(const char* name) const {
    return suite_fields_.sensor_adr[Id(kObjectSensor, "sensor", name)];
  }
  int Qpos(const char* joint) const { return suite_fields_.jnt_qposadr[Joint(joint)]; }
  int Dof(const char* joint) const { return suite_fields_.jnt_dofadr[Joint(joint)]; }

 private:
  int Id(int type, const char* kind, const char* name) const;

  std::string key_;
  Model model_;
  SuiteModelFields suite_fields_;  // of model_
  ModelCopy actuated_;
  ModelCopy unactuated_;
  int state_signature_ = 0;
  std::size_t state_size_ = 0;
};

// The model of one environment: the shared one, or a variant of it with own arrays.
class EnvModel {
 public:
  EnvModel(const SuiteModel& shared, std::span<const OwnArray> own);

  const mjModel* physics() const { return physics_ ? physics_->get() : shared_.physics(); }
  const mjModel* unactuated() const {
    return unactuated_ ? unactuated_->get() : shared_.unactuated();
  }
  // With the names of everything, for pictures.
  const mjModel* drawn() const { return drawn_ ? drawn_->get() : shared_.model().get(); }

  const SuiteModel& shared() const { return shared_; }
  const ModelFields& fields() const { return shared_.fields(); }
  const SuiteModelFields& suite_fields() const { return suite_fields_; }
  bool has_own_hfield() const { return has_own_hfield_; }

  // Its own arrays.
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
