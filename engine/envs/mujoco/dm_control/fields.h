// The members of mjModel and mjData that only the tasks of dm_control use, with MuJoCo's names.
// engine/envs/mujoco/fields.h has the other members. Pure data.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_FIELDS_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_FIELDS_H_

#include <cstdint>

#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco::suite {

// Some tasks write into the arrays that are not const.
struct SuiteModelFields {
  std::int64_t na, njnt, nlight, nwrap, nsensordata, nhfielddata;
  int integrator;
  const double* gravity;                     // (3,), m/s^2
  const int* jnt_type;                       // (njnt,)
  const int* jnt_qposadr;                    // (njnt,)
  const int* jnt_dofadr;                     // (njnt,)
  const std::uint8_t* jnt_limited;           // (njnt,)
  const double* jnt_range;                   // (njnt, 2)
  double* jnt_stiffness;                     // (njnt,)
  double* dof_damping;                       // (nv,)
  double* body_pos;                          // (nbody, 3), m
  double* body_quat;                         // (nbody, 4)
  const double* body_subtreemass;            // (nbody,), kg
  double* geom_size;                         // (ngeom, 3), m
  double* geom_pos;                          // (ngeom, 3), m
  float* geom_rgba;                          // (ngeom, 4)
  double* site_pos;                          // (nsite, 3), m
  double* site_size;                         // (nsite, 3), m
  float* site_rgba;                          // (nsite, 4)
  double* light_pos;                         // (nlight, 3), m
  double* wrap_prm;                          // (nwrap,)
  const std::uint8_t* actuator_ctrllimited;  // (nu,)
  const int* sensor_type;                    // (nsensor,)
  const int* sensor_dim;                     // (nsensor,)
  const int* sensor_adr;                     // (nsensor,)
  const int* hfield_nrow;                    // (nhfield,)
  const int* hfield_ncol;                    // (nhfield,)
  const int* hfield_adr;                     // (nhfield,)
  const double* hfield_size;                 // (nhfield, 4), m
  float* hfield_data;                        // (nhfielddata,)
};

// Valid as long as the mjData exists.
struct SuiteDataFields {
  double* time;     // s
  const int* ncon;  // number of contacts
  const WarningStat* warning;
  double* act;              // (na,)
  double* sensordata;       // (nsensordata,)
  const double* xmat;       // (nbody, 9)
  const double* xquat;      // (nbody, 4)
  const double* xanchor;    // (njnt, 3), m
  const double* site_xmat;  // (nsite, 9)
  const double* geom_xmat;  // (ngeom, 9)
};

SuiteModelFields SuiteFieldsOf(mjModel& model);
SuiteDataFields SuiteFieldsOf(mjData& data);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_FIELDS_H_
