// See the header.
#include "engine/envs/mujoco/dm_control/fields.h"

#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::suite {

SuiteModelFields SuiteFieldsOf(mjModel& model) {
  const SuiteModelLayout& at = UsedLayout().suite_model;
  const auto count = [&](Offset offset) { return CountAt(UsedLayout().model, model, offset); };
  const auto ints = [&](Offset offset) { return MemberAt<const int*>(&model, offset); };
  const auto bytes = [&](Offset offset) { return MemberAt<const std::uint8_t*>(&model, offset); };
  const auto floats = [&](Offset offset) { return MemberAt<float*>(&model, offset); };
  const auto doubles = [&](Offset offset) { return MemberAt<double*>(&model, offset); };
  return {.na = count(at.na),
          .njnt = count(at.njnt),
          .nlight = count(at.nlight),
          .nwrap = count(at.nwrap),
          .nsensordata = count(at.nsensordata),
          .nhfielddata = count(at.nhfielddata),
          .integrator = MemberAt<int>(&model, UsedLayout().model.integrator),
          .gravity = &MemberAt<double>(&model, at.gravity),
          .jnt_type = ints(at.jnt_type),
          .jnt_qposadr = ints(at.jnt_qposadr),
          .jnt_dofadr = ints(at.jnt_dofadr),
          .jnt_limited = bytes(at.jnt_limited),
          .jnt_range = doubles(at.jnt_range),
          .jnt_stiffness = doubles(at.jnt_stiffness),
          .dof_damping = doubles(at.dof_damping),
          .body_pos = doubles(at.body_pos),
          .body_quat = doubles(at.body_quat),
          .body_subtreemass = doubles(at.body_subtreemass),
          .geom_size = doubles(at.geom_size),
          .geom_pos = doubles(at.geom_pos),
          .geom_rgba = floats(at.geom_rgba),
          .site_pos = doubles(at.site_pos),
          .site_size = doubles(at.site_size),
          .site_rgba = floats(at.site_rgba),
          .light_pos = doubles(at.light_pos),
          .wrap_prm = doubles(at.wrap_prm),
          .actuator_ctrllimited = bytes(at.actuator_ctrllimited),
          .sensor_type = ints(at.sensor_type),
          .sensor_dim = ints(at.sensor_dim),
          .sensor_adr = ints(at.sensor_adr),
          .hfield_nrow = ints(at.hfield_nrow),
          .hfield_ncol = ints(at.hfield_ncol),
          .hfield_adr = ints(at.hfield_adr),
          .hfield_size = doubles(at.hfield_size),
          .hfield_data = floats(at.hfield_data)};
}

SuiteDataFields SuiteFieldsOf(mjData& data) {
  const SuiteDataLayout& at = UsedLayout().suite_data;
  const auto doubles = [&](Offset offset) { return MemberAt<double*>(&data, offset); };
  return {.time = &MemberAt<double>(&data, at.time),
          .ncon = &MemberAt<int>(&data, at.ncon),
          .warning = &MemberAt<WarningStat>(&data, at.warning),
          .act = doubles(at.act),
          .sensordata = doubles(at.sensordata),
          .xmat = doubles(at.xmat),
          .xquat = doubles(at.xquat),
          .xanchor = doubles(at.xanchor),
          .site_xmat = doubles(at.site_xmat),
          .geom_xmat = doubles(at.geom_xmat)};
}

}  // namespace engine::mujoco::suite
