// One iteration of a polling loop in code that runs under either policy. Real threads yield the
// processor, since there may be more threads than processors.
#ifndef ENGINE_TESTS_SUPPORT_LET_OTHERS_RUN_H_
#define ENGINE_TESTS_SUPPORT_LET_OTHERS_RUN_H_

#include <thread>
#include <type_traits>

#include "engine/sync/std_sync.h"

namespace engine::testing {

template <class Sync>
void LetOthersRun() {
  if constexpr (std::is_same_v<Sync, StdSync>) {
    std::this_thread::yield();
  } else {
    Sync::Pause();
  }
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_LET_OTHERS_RUN_H_
