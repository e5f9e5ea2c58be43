// See the header.
#include "engine/envs/mujoco/dm_control/suite_model.h"

#include <array>
#include <cstring>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::suite {
namespace {

ModelSource model_source = nullptr;  // written once, before any thread reads it

std::string TextOf(const std::string& key) {
  if (model_source == nullptr) {
    throw Error(ErrorKind::kInternal, "expected a source of dm_control's models, got none");
  }
  return model_source(key);
}

ModelCopy WithoutEnergies(const mjModel& model) {
  ModelCopy copy(model);
  const Offset flags = UsedLayout().model.enableflags;
  copy.Set(flags, MemberAt<int>(copy.get(), flags) & ~kEnableEnergy);
  return copy;
}

ModelCopy WithoutActuation(const mjModel& model) {
  ModelCopy copy = WithoutEnergies(model);
  const Offset flags = UsedLayout().model.disableflags;
  copy.Set(flags, MemberAt<int>(copy.get(), flags) | kDisableActuation);
  return copy;
}

// The arrays into which configurations of tasks write.
std::array<Offset, 5> WrittenByTasks() {
  const SuiteModelLayout& at = UsedLayout().suite_model;
  return {at.dof_damping, at.geom_size, at.geom_rgba, at.site_size, at.site_rgba};
}

struct Location {
  Offset offset;
  std::size_t bytes;
};

Location Find(OwnArray array, const SuiteModel& model) {
  const SuiteModelLayout& at = UsedLayout().suite_model;
  const auto doubles = [](Offset offset, std::int64_t count) {
    return Location{offset, static_cast<std::size_t>(count) * sizeof(double)};
  };
  switch (array) {
    case OwnArray::kBodyPos:
      return doubles(at.body_pos, 3 * model.fields().nbody);
    case OwnArray::kBodyQuat:
      return doubles(at.body_quat, 4 * model.fields().nbody);
    case OwnArray::kGeomPos:
      return doubles(at.geom_pos, 3 * model.fields().ngeom);
    case OwnArray::kHfieldData:
      return {at.hfield_data,
              static_cast<std::size_t>(model.suite_fields().nhfielddata) * sizeof(float)};
    case OwnArray::kJointStiffness:
      return doubles(at.jnt_stiffness, model.suite_fields().njnt);
    case OwnArray::kLightPos:
      return doubles(at.light_pos, 3 * model.suite_fields().nlight);
    case OwnArray::kSitePos:
      return doubles(at.site_pos, 3 * model.fields().nsite);
    case OwnArray::kWrapPrm:
      return doubles(at.wrap_prm, model.suite_fields().nwrap);
  }
  return {};  // not reached
}

}  // namespace

void SetModelSource(ModelSource source) { model_source = source; }

SuiteModel::SuiteModel(const std::string& key, const ParamValues& options)
    : key_(key),
      model_(CompileModel(key, &TextOf), options, WrittenByTasks()),
      suite_fields_(SuiteFieldsOf(*model_.get())),
      actuated_(WithoutEnergies(*model_.physics())),
      unactuated_(WithoutActuation(*model_.physics())) {}

int SuiteModel::Id(int type, const char* kind, const char* name) const {
  const int id = Library().name_to_id(model_.get(), type, name);
  if (id >= 0) return id;
  throw Error(ErrorKind::kOption, "the model \"" + key_ + "\" of dm_control: expected a " + kind +
                                      " \"" + name + "\", found none");
}

EnvModel::EnvModel(const SuiteModel& shared, std::span<const OwnArray> own)
    : shared_(shared), suite_fields_(shared.suite_fields()) {
  if (own.empty()) return;
  physics_ = std::make_unique<ModelCopy>(*shared.physics());
  unactuated_ = std::make_unique<ModelCopy>(*shared.unactuated());
  drawn_ = std::make_unique<ModelCopy>(*shared.model().get());
  for (const OwnArray array : own) {
    const auto [offset, bytes] = Find(array, shared);
    std::vector<double>& values =
        arrays_.emplace_back((bytes + sizeof(double) - 1) / sizeof(double));
    if (bytes > 0) std::memcpy(values.data(), MemberAt<const void*>(drawn_->get(), offset), bytes);
    for (ModelCopy* const copy : {physics_.get(), unactuated_.get(), drawn_.get()}) {
      copy->Set(offset, static_cast<void*>(values.data()));
    }
    has_own_hfield_ = has_own_hfield_ || array == OwnArray::kHfieldData;
  }
  suite_fields_ = SuiteFieldsOf(*drawn_->get());
}

void EnvModel::Save(StateWriter& state) const {
  for (const std::vector<double>& values : arrays_) state.PutAll(std::span(values));
}

void EnvModel::Load(StateReader& state) {
  for (std::vector<double>& values : arrays_) state.GetAll(std::span(values));
}

}  // namespace engine::mujoco::suite
