// A model with other numbers than the compiled one: a copy of the structure mjModel, and of the
// arrays that differ. Its other arrays are those of the compiled model, which must outlive it.
// Immutable after construction, except for the arrays that the caller names; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_VARIANT_H_
#define ENGINE_ENVS_MUJOCO_MODEL_VARIANT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/model_copy.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

// Memory for arrays, aligned as those of mjModel.
struct ArraysDeleter {
  void operator()(std::byte* bytes) const;
};
using ArraysPtr = std::unique_ptr<std::byte, ArraysDeleter>;

// Writes numbers into a model.
using Preparation = void (*)(mjModel& model);

class ModelVariant {
 public:
  // `own`: arrays that are copied though they do not differ, so that the caller may write into
  // them. `prepare`, unless it is null, writes into these arrays what the changes may overwrite.
  // Throws Error{kOption} if a change is wrong, or if MuJoCo computes no constants for it.
  ModelVariant(const mjModel& base, const ModelChanges& changes, std::span<const Offset> own,
               Preparation prepare = nullptr);
  ~ModelVariant();
  ModelVariant(const ModelVariant&) = delete;
  ModelVariant& operator=(const ModelVariant&) = delete;

  mjModel* get() { return copy_.get(); }
  const mjModel* get() const { return copy_.get(); }

  // The bytes of the arrays of all variants that exist. For tests.
  static std::int64_t BytesOfAll();

 private:
  // Takes the arrays of `base`, or copies of those of `whole` if they differ or are in `own`.
  void Adopt(const mjModel& base, const mjModel& whole, std::span<const Offset> own);

  ModelCopy copy_;
  std::size_t bytes_ = 0;
  ArraysPtr arrays_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_VARIANT_H_
