// The offsets of the members of MuJoCo's structures that the family uses. Each version has its own
// layout. The numbers are in layouts.cc, which `python -m tools.mujoco_layouts` generates from
// the headers of the supported versions. Immutable data; any thread.
#ifndef ENGINE_ENVS_MUJOCO_LAYOUT_H_
#define ENGINE_ENVS_MUJOCO_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace engine::mujoco {

// Offset of a member in its structure, in bytes. 0 means that the version does not have the member,
// except for nq, the first member of mjModel.
using Offset = std::uint32_t;

struct ModelLayout {
  std::uint32_t bytes;        // size of mjModel
  std::uint32_t count_bytes;  // size of nq and the other counts: 4 or 8
  Offset nq, nv, nu, nbody, nsite, ngeom, ncam, ntendon, ntree, neq, nflex, nplugin, npair,
      nexclude, narena;
  Offset timestep, integrator, disableflags, enableflags;  // in mjModel::opt
  Offset offwidth, offheight, bvactive;                    // in mjModel::vis.global
  Offset extent;                                           // in mjModel::stat
  Offset qpos0, tree_dofnum, tendon_limited, tendon_frictionloss, actuator_ctrlrange;
  Offset body_mass, body_contype, body_conaffinity, body_geomnum, body_geomadr, body_weldid,
      body_dofnum, body_parentid;
  Offset geom_type, geom_contype, geom_conaffinity, geom_condim, geom_priority, geom_solmix,
      geom_solref, geom_solimp, geom_friction, geom_margin, geom_gap, geom_adhesion, geom_plugin;
  Offset pair_dim, pair_geom1, pair_geom2, pair_signature, pair_solref, pair_solreffriction,
      pair_solimp, pair_margin, pair_gap, pair_adhesion, pair_friction;
};

struct DataLayout {
  Offset qpos, qvel, ctrl, xpos, xipos, site_xpos, geom_xpos, cinert, cvel, cfrc_ext, qfrc_actuator,
      qfrc_constraint, ten_length, ten_velocity;
};

// Members that only the tasks of dm_control use. All are 0 in versions before 3.17, in which these
// tasks do not run.
struct SuiteModelLayout {
  Offset na, njnt, nlight, nwrap, nsensordata, nhfielddata;
  Offset gravity;  // in mjModel::opt
  Offset jnt_type, jnt_qposadr, jnt_dofadr, jnt_limited, jnt_range, jnt_stiffness, dof_damping;
  Offset body_pos, body_quat, body_subtreemass, geom_size, geom_pos, geom_rgba, site_pos, site_size,
      site_rgba, light_pos, wrap_prm, actuator_ctrllimited;
  Offset sensor_type, sensor_dim, sensor_adr;
  Offset hfield_nrow, hfield_ncol, hfield_adr, hfield_size, hfield_data;
};

struct SuiteDataLayout {
  Offset time, ncon, warning, act, sensordata, xmat, xquat, xanchor, site_xmat, geom_xmat;
  int num_warnings;  // in mjData::warning
};

// Members that only the tasks of Gymnasium-Robotics and of MetaWorld use.
struct ArmModelLayout {
  Offset jnt_qposadr, jnt_dofadr, actuator_biastype, actuator_trnid;
  Offset body_mocapid, body_pos, eq_type, eq_obj1id, eq_obj2id, eq_data, site_pos, site_rgba;
  int num_eq_data;  // numbers of a row of eq_data
};

struct ArmDataLayout {
  Offset time, ncon, nefc, mocap_pos, mocap_quat, sensordata, xmat, xquat, geom_xmat, site_xmat;
  Offset contact, efc_force;  // arrays that move
};

// The structure mjContact.
struct ContactLayout {
  std::uint32_t bytes;  // its size
  Offset geom, efc_address;
};

// Sizes and offsets of the structures of the renderer.
struct PictureLayout {
  std::uint32_t option_bytes;  // size of mjvOption
  Offset option_flags;
  int num_flags;  // in mjvOption::flags, one byte each
  std::uint32_t perturb_bytes, scene_bytes, context_bytes;
};

// Bits of mjOption's flags that differ between versions. 0 means that the version does not have the
// bit.
struct FlagBits {
  int disable_filterparent, disable_island, disable_autoreset, disable_sensor;
  int enable_override, enable_sleep;
};

struct Layout {
  std::string_view version;  // "3.17.0"
  // Whether tests have shown that the rules of PhysicsModel hold for this version (see
  // physics_model.h).
  bool physics_is_known;
  // Whether a step has to make all stages, although nothing that concerns them has changed
  // (Simulation::StepAfterReset, ForwardAndStep).
  bool keeps_stages;
  ModelLayout model;
  DataLayout data;
  PictureLayout picture;
  FlagBits flags;
  ArmModelLayout arm_model;
  ArmDataLayout arm_data;
  ContactLayout contact;
  SuiteModelLayout suite_model{};
  SuiteDataLayout suite_data{};

  // Whether the tasks of dm_control run with this version.
  bool has_suite() const { return suite_model.njnt != 0; }
};

// Returns all supported versions, from the oldest on.
std::span<const Layout> Layouts();

// Returns the layout of a version, or null if the version is not supported. A version that is newer
// than all supported ones is not supported either.
const Layout* LayoutOf(std::string_view version);

// Returns the supported versions as text for a message: "3.3.0, 3.3.1 or 3.4.0".
std::string SupportedVersions();

// Returns the member at an offset of a structure.
template <class T>
T& MemberAt(void* structure, Offset offset) {
  return *reinterpret_cast<T*>(static_cast<std::byte*>(structure) + offset);
}
template <class T>
const T& MemberAt(const void* structure, Offset offset) {
  return *reinterpret_cast<const T*>(static_cast<const std::byte*>(structure) + offset);
}

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_LAYOUT_H_
