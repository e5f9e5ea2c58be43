// A copy of the structure mjModel without its arrays, in which single members are replaced. It
// takes 6 kB, whereas a copy of the whole model takes up to 70 MB. Immutable after its members are
// set; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_COPY_H_
#define ENGINE_ENVS_MUJOCO_MODEL_COPY_H_

#include <cstddef>
#include <cstring>
#include <memory>

#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/mujoco_types.h"

namespace engine::mujoco {

class ModelCopy {
 public:
  // Shares the arrays of `model`, which must outlive the copy. The copy never frees them.
  explicit ModelCopy(const mjModel& model) : bytes_(new std::byte[UsedLayout().model.bytes]) {
    std::memcpy(bytes_.get(), &model, UsedLayout().model.bytes);
  }

  mjModel* get() { return reinterpret_cast<mjModel*>(bytes_.get()); }
  const mjModel* get() const { return reinterpret_cast<const mjModel*>(bytes_.get()); }

  // Sets a member. Does nothing if the version does not have the member (offset 0).
  template <class T>
  void Set(Offset offset, T value) {
    if (offset != 0) std::memcpy(bytes_.get() + offset, &value, sizeof value);
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_COPY_H_
