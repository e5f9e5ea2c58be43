// See the header.
#include "engine/envs/mujoco/fields.h"

namespace engine::mujoco {

ModelFields FieldsOf(const ModelLayout& layout, const mjModel& model) {
  const auto count = [&](Offset offset) { return CountAt(layout, model, offset); };
  const auto doubles = [&](Offset offset) { return MemberAt<const double*>(&model, offset); };
  return {.nq = count(layout.nq),
          .nv = count(layout.nv),
          .nu = count(layout.nu),
          .nbody = count(layout.nbody),
          .nsite = count(layout.nsite),
          .ngeom = count(layout.ngeom),
          .ncam = count(layout.ncam),
          .ntendon = count(layout.ntendon),
          .timestep = MemberAt<double>(&model, layout.timestep),
          .extent = MemberAt<double>(&model, layout.extent),
          .qpos0 = doubles(layout.qpos0),
          .body_mass = doubles(layout.body_mass),
          .actuator_ctrlrange = doubles(layout.actuator_ctrlrange)};
}

DataFields FieldsOf(const DataLayout& layout, mjData& data) {
  const auto doubles = [&](Offset offset) { return MemberAt<double*>(&data, offset); };
  return {.qpos = doubles(layout.qpos),
          .qvel = doubles(layout.qvel),
          .ctrl = doubles(layout.ctrl),
          .xpos = doubles(layout.xpos),
          .xipos = doubles(layout.xipos),
          .site_xpos = doubles(layout.site_xpos),
          .geom_xpos = doubles(layout.geom_xpos),
          .cinert = doubles(layout.cinert),
          .cvel = doubles(layout.cvel),
          .cfrc_ext = doubles(layout.cfrc_ext),
          .qfrc_actuator = doubles(layout.qfrc_actuator),
          .qfrc_constraint = doubles(layout.qfrc_constraint),
          .ten_length = doubles(layout.ten_length),
          .ten_velocity = doubles(layout.ten_velocity)};
}

}  // namespace engine::mujoco
