// The members of mjModel and mjData that only the tasks of Gymnasium-Robotics use, with MuJoCo's
// names. engine/envs/mujoco/fields.h has the other members. Pure data.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_FIELDS_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_FIELDS_H_

#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco::robotics {

struct RoboticsModelFields {
  const int* jnt_qposadr;        // (njnt,)
  const int* jnt_dofadr;         // (njnt,)
  const int* actuator_biastype;  // (nu,)
  const int* actuator_trnid;     // (nu, 2)
  const int* body_mocapid;       // (nbody,)
  const int* eq_type;            // (neq,)
  const int* eq_obj1id;          // (neq,)
  const int* eq_obj2id;          // (neq,)
  double* eq_data;               // (neq, RoboticsModelLayout::num_eq_data)
  double* site_pos;              // (nsite, 3), m
};

// Valid as long as the mjData exists.
struct RoboticsDataFields {
  double* time;             // s
  double* mocap_pos;        // (nmocap, 3), m
  double* mocap_quat;       // (nmocap, 4)
  const double* xquat;      // (nbody, 4)
  const double* site_xmat;  // (nsite, 9)
};

RoboticsModelFields RoboticsFieldsOf(mjModel& model);
RoboticsDataFields RoboticsFieldsOf(mjData& data);

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_FIELDS_H_
