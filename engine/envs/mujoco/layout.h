// The offsets of the members of MuJoCo's structures that are used here. Each version has its own
// layout. The numbers are in layouts.cc, which `python -m scripts.mujoco_layouts` generates from
// the headers of the supported versions. Immutable data; any thread.
#ifndef ENGINE_ENVS_MUJOCO_LAYOUT_H_
#define ENGINE_ENVS_MUJOCO_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace engine::mujoco {

// Offset of a member in its structure, in bytes; 0 if the version does not have it. No used member
// has offset 0.
using Offset = std::uint32_t;

struct ModelLayout {
  std::uint32_t bytes;        // of mjModel
  std::uint32_t count_bytes;  // of nq and the other counts: 4 or 8
  Offset nq, nv, nu, nbody, nsite, ngeom, ncam, ntendon, ntree, neq, nflex, nplugin, npair,
      nexclude, narena;
  Offset timestep, disableflags, enableflags;  // of mjModel::opt
  Offset offwidth, offheight;                  // of mjModel::vis.global
  Offset extent;                               // of mjModel::stat
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

// Structures of the renderer.
struct PictureLayout {
  std::uint32_t option_bytes;  // of mjvOption
  Offset option_flags;
  int num_flags;  // in mjvOption::flags, one byte each
  std::uint32_t perturb_bytes, scene_bytes, context_bytes;
};

// Bits of mjOption's flags whose numbers differ; 0 where the version has no such bit.
struct FlagBits {
  int disable_filterparent, disable_island, disable_autoreset;
  int enable_override, enable_sleep;
};

struct Layout {
  std::string_view version;  // "3.17.0"
  // Whether PhysicsModel's rules have been shown to hold for this version: see physics_model.h.
  bool physics_is_known;
  ModelLayout model;
  DataLayout data;
  PictureLayout picture;
  FlagBits flags;
};

// All supported versions, the oldest first.
std::span<const Layout> Layouts();

// Returns null for a version that is not supported, even if it is newer than the supported ones.
const Layout* LayoutOf(std::string_view version);

// Their versions, as words for a message: "3.3.0, 3.3.1 or 3.4.0".
std::string SupportedVersions();

// The member at an offset of a structure.
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
