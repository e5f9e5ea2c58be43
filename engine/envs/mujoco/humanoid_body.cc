// See the header.
#include "engine/envs/mujoco/humanoid_body.h"

#include <algorithm>

namespace engine::mujoco {

ParamSchema HumanoidParts(Version version) {
  const auto part = [&](const char* name, const char* doc) {
    return FixedBefore(Version::kV5, version, Flag(name, true, doc));
  };
  return {part("include_cinert_in_observation", "Whether observations have the bodies' inertias."),
          part("include_cvel_in_observation", "Whether observations have the bodies' velocities."),
          part("include_qfrc_actuator_in_observation",
               "Whether observations have the actuators' forces."),
          part("include_cfrc_ext_in_observation",
               "Whether observations have the contact forces on the bodies.")};
}

HumanoidBody::HumanoidBody(const ParamValues& options, const Model& model, Version version)
    : model_(&model),
      skipped_qpos_(ExcludesPositions(options) ? 2 : 0),
      first_body_(version == Version::kV5 ? 1 : 0),
      first_force_(version == Version::kV5 ? 6 : 0),
      inertias_(options.Get<bool>("include_cinert_in_observation")),
      velocities_(options.Get<bool>("include_cvel_in_observation")),
      actuator_forces_(options.Get<bool>("include_qfrc_actuator_in_observation")),
      contact_forces_(options.Get<bool>("include_cfrc_ext_in_observation")) {
  model.RequireAtLeast(7, model->nq, "positions (nq)");
  model.RequireAtLeast(6, model->nv, "velocities (nv)");
}

std::int64_t HumanoidBody::observation_size() const {
  const ModelFields& model = **model_;
  const std::int64_t bodies = model.nbody - first_body_;
  return model.nq - static_cast<std::int64_t>(skipped_qpos_) + model.nv +
         (inertias_ ? kInertiaOfABody * bodies : 0) +
         (velocities_ ? kVelocityOfABody * bodies : 0) +
         (actuator_forces_ ? model.nv - first_force_ : 0) +
         (contact_forces_ ? kForcesOfABody * bodies : 0);
}

void HumanoidBody::Observe(const Simulation& simulation, RowWriter writer) const {
  const ModelFields& model = simulation.model();
  const DataFields& data = simulation.data();
  const auto of_bodies = [&](const double* values, int of_a_body) {
    return std::span(values + of_a_body * first_body_,
                     static_cast<std::size_t>(of_a_body * (model.nbody - first_body_)));
  };
  writer.Put(simulation.qpos().subspan(skipped_qpos_));
  writer.Put(simulation.qvel());
  if (inertias_) writer.Put(of_bodies(data.cinert, kInertiaOfABody));
  if (velocities_) writer.Put(of_bodies(data.cvel, kVelocityOfABody));
  if (actuator_forces_) {
    writer.Put(std::span(data.qfrc_actuator + first_force_,
                         static_cast<std::size_t>(model.nv - first_force_)));
  }
  if (contact_forces_) writer.Put(of_bodies(data.cfrc_ext, kForcesOfABody));
}

void AddTendonInfos(const Model& model, EnvSpec& spec) {
  for (const char* const name : {"tendon_length", "tendon_velocity"}) {
    spec.infos.push_back({.name = name, .dtype = DType::kFloat64, .shape = {model->ntendon}});
  }
}

void SetTendonInfos(const Simulation& simulation, std::size_t field, InfoRow row) {
  const DataFields& data = simulation.data();
  std::copy_n(data.ten_length, simulation.model().ntendon, row.Data<double>(field));
  std::copy_n(data.ten_velocity, simulation.model().ntendon, row.Data<double>(field + 1));
}

}  // namespace engine::mujoco
