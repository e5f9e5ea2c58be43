// See the header.
#include "engine/envs/mujoco/arm_fields.h"

#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {

ArmModelFields ArmFieldsOf(mjModel& model) {
  const ArmModelLayout& at = UsedLayout().arm_model;
  const auto ints = [&](Offset offset) { return MemberAt<const int*>(&model, offset); };
  const auto doubles = [&](Offset offset) { return MemberAt<double*>(&model, offset); };
  return {.jnt_qposadr = ints(at.jnt_qposadr),
          .jnt_dofadr = ints(at.jnt_dofadr),
          .actuator_biastype = ints(at.actuator_biastype),
          .actuator_trnid = ints(at.actuator_trnid),
          .body_mocapid = ints(at.body_mocapid),
          .body_pos = doubles(at.body_pos),
          .eq_type = ints(at.eq_type),
          .eq_obj1id = ints(at.eq_obj1id),
          .eq_obj2id = ints(at.eq_obj2id),
          .eq_data = doubles(at.eq_data),
          .site_pos = doubles(at.site_pos),
          .site_rgba = MemberAt<const float*>(&model, at.site_rgba)};
}

ArmDataFields ArmFieldsOf(mjData& data) {
  const ArmDataLayout& at = UsedLayout().arm_data;
  const auto doubles = [&](Offset offset) { return MemberAt<double*>(&data, offset); };
  return {.time = &MemberAt<double>(&data, at.time),
          .mocap_pos = doubles(at.mocap_pos),
          .mocap_quat = doubles(at.mocap_quat),
          .sensordata = doubles(at.sensordata),
          .xmat = doubles(at.xmat),
          .xquat = doubles(at.xquat),
          .geom_xmat = doubles(at.geom_xmat),
          .site_xmat = doubles(at.site_xmat)};
}

}  // namespace engine::mujoco
