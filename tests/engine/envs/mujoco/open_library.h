// The MuJoCo library and Gymnasium's models, for tests.
#ifndef ENGINE_TESTS_ENGINE_ENVS_MUJOCO_OPEN_LIBRARY_H_
#define ENGINE_TESTS_ENGINE_ENVS_MUJOCO_OPEN_LIBRARY_H_

#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/library.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {

inline void OpenOnce() {
  static const bool open = [] {
    Open(MUJOCO_LIBRARY, MUJOCO_PLUGINS);
    SetAssetDirectory(MUJOCO_MODELS);
    return true;
  }();
  ASSERT_TRUE(open);
}

}  // namespace engine::mujoco::testing

#endif  // ENGINE_TESTS_ENGINE_ENVS_MUJOCO_OPEN_LIBRARY_H_
