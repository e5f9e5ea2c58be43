// The members of mjModel and mjData that the tasks use, with MuJoCo's names. They are read once,
// when a model or a simulation is made. MuJoCo never moves the arrays, so the pointers stay valid
// and a step needs no look-up. Pure data.
#ifndef ENGINE_ENVS_MUJOCO_FIELDS_H_
#define ENGINE_ENVS_MUJOCO_FIELDS_H_

#include <cstdint>

#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

struct ModelFields {
  std::int64_t nq, nv, nu, nbody, nsite, ngeom, ncam, ntendon;
  double timestep;                   // s
  double extent;                     // m
  const double* qpos0;               // (nq,)
  const double* body_mass;           // (nbody,), kg
  const double* actuator_ctrlrange;  // (nu, 2)
};

// Valid as long as the mjData exists.
struct DataFields {
  double* qpos;                   // (nq,)
  double* qvel;                   // (nv,)
  double* ctrl;                   // (nu,)
  const double* xpos;             // (nbody, 3), m
  const double* xipos;            // (nbody, 3), m
  double* site_xpos;              // (nsite, 3), m
  const double* geom_xpos;        // (ngeom, 3), m
  const double* cinert;           // (nbody, 10)
  const double* cvel;             // (nbody, 6)
  const double* cfrc_ext;         // (nbody, 6)
  const double* qfrc_actuator;    // (nv,)
  const double* qfrc_constraint;  // (nv,)
  const double* ten_length;       // (ntendon,)
  const double* ten_velocity;     // (ntendon,)
};

// Reads a count, such as nq, whose size depends on the version.
inline std::int64_t CountAt(const ModelLayout& layout, const mjModel& model, Offset offset) {
  return layout.count_bytes == sizeof(std::int32_t) ? MemberAt<std::int32_t>(&model, offset)
                                                    : MemberAt<std::int64_t>(&model, offset);
}

ModelFields FieldsOf(const ModelLayout& layout, const mjModel& model);
DataFields FieldsOf(const DataLayout& layout, mjData& data);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_FIELDS_H_
