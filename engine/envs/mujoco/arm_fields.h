// The members of mjModel and mjData that only the tasks of Gymnasium-Robotics and of MetaWorld use,
// with MuJoCo's names. fields.h has the other members. Pure data.
#ifndef ENGINE_ENVS_MUJOCO_ARM_FIELDS_H_
#define ENGINE_ENVS_MUJOCO_ARM_FIELDS_H_

#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

struct ArmModelFields {
  const int* jnt_qposadr;        // (njnt,)
  const int* jnt_dofadr;         // (njnt,)
  const int* actuator_biastype;  // (nu,)
  const int* actuator_trnid;     // (nu, 2)
  const int* body_mocapid;       // (nbody,)
  double* body_pos;              // (nbody, 3), m
  const int* eq_type;            // (neq,)
  const int* eq_obj1id;          // (neq,)
  const int* eq_obj2id;          // (neq,)
  double* eq_data;               // (neq, ArmModelLayout::num_eq_data)
  double* site_pos;              // (nsite, 3), m
  const float* site_rgba;        // (nsite, 4)
};

// Valid as long as the mjData exists.
struct ArmDataFields {
  double* time;              // s
  double* mocap_pos;         // (nmocap, 3), m
  double* mocap_quat;        // (nmocap, 4)
  const double* sensordata;  // (nsensordata,)
  const double* xmat;        // (nbody, 9)
  const double* xquat;       // (nbody, 4)
  const double* geom_xmat;   // (ngeom, 9)
  const double* site_xmat;   // (nsite, 9)
};

ArmModelFields ArmFieldsOf(mjModel& model);
ArmDataFields ArmFieldsOf(mjData& data);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_ARM_FIELDS_H_
