// The fields of mjModel that users may change, by MuJoCo's names, and where each supported version
// keeps them. The tables are in model_field_table.cc, which `python -m tools.mujoco_fields`
// generates from the headers of the supported versions. Immutable data; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_FIELDS_H_
#define ENGINE_ENVS_MUJOCO_MODEL_FIELDS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/envs/mujoco/layout.h"

namespace engine::mujoco {

// The type of a number in mjModel. Bytes are flags, 0 or 1.
enum class Element : std::uint8_t { kDouble, kFloat, kInt, kByte };

// A field has one entry for each shape that it has had in any version.
struct ModelField {
  std::string_view name;  // "body_mass", "opt.gravity"
  Element element;
  // Index of the number of rows in ModelCounts(); -1 for a member of mjModel::opt, which has no
  // rows.
  int rows;
  // Numbers of a row. An array of rows of one number has one dimension. 0: a member of mjModel::opt
  // that is one number.
  int columns;
};

// Why a member of mjModel may not be changed.
enum class WhyFixed : std::uint8_t { kSize, kStructure, kDerived, kAsset, kUnread, kNames, kOther };

struct OtherMember {
  std::string_view name;
  WhyFixed why;
};

struct ModelFieldRow {
  std::string_view version;
  Offset first, last;  // the first and the last array of mjModel; only arrays lie between them
  // The first array of meshes, skins, height fields and textures, and the first one after them.
  // Neither changes nor mj_setConst touch these.
  Offset first_asset, after_asset;
  Offset buffer, nbuffer;  // the memory of all arrays, and its size in bytes
  // Arrays with the first row of each joint or actuator in the fields with other rows; 0 if the
  // version does not have them.
  Offset jnt_qposadr, jnt_dofadr, actuator_ctrladr, actuator_outadr;
  std::span<const Offset> counts;  // of ModelCounts(); kNoCount if the version does not have it
  std::span<const Offset> fields;  // of AllModelFields(); 0 if the version does not have it
};
inline constexpr Offset kNoCount = 65535;

std::span<const std::string_view> ModelCounts();
std::span<const ModelField> AllModelFields();
// The other members of mjModel of all versions, sorted by name.
std::span<const OtherMember> OtherModelMembers();
std::span<const ModelFieldRow> ModelFieldRows();

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_FIELDS_H_
