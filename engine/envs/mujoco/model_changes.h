// The option `model`: numbers for fields of mjModel, by MuJoCo's names. Pure functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_CHANGES_H_
#define ENGINE_ENVS_MUJOCO_MODEL_CHANGES_H_

#include <string>
#include <string_view>

#include "engine/env/params.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/model_fields.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

// Returns the options of a task, followed by `model` and `model_constants`.
ParamSchema WithModelChanges(ParamSchema options);

// The values of these options.
struct ModelChanges {
  explicit ModelChanges(const ParamValues& options);

  // Whether a field is changed, in all of its rows or in some.
  bool Has(std::string_view field) const;
  // Writes the numbers into a model. Throws Error{kOption}, which names the field, the object, and
  // what was expected, if a field does not exist or may not be changed, if a shape is wrong, or if
  // a number is not one of the field. The model then has a part of the changes.
  void Write(mjModel& model) const;

  const NumberTable& fields;  // names as in engine/env/table_entries.h; part of the options
  bool recomputes_constants;  // mj_setConst
};

// Return the row of the used version, and where this version keeps a field that users may change.
// Require that Open() has succeeded, and that the version has the field.
const ModelFieldRow& UsedModelFields();
Offset PlaceOfField(const std::string& name);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_CHANGES_H_
