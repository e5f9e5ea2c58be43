// How a worker waits on a WorkSignal.
#ifndef TESTS_ENGINE_SUPPORT_WAIT_FOR_WORK_H_
#define TESTS_ENGINE_SUPPORT_WAIT_FOR_WORK_H_

#include "engine/sync/work_signal.h"

namespace engine::testing {

// Spins for `spin_ns` (not at all if it is 0), then sleeps until ready().
template <class Sync, class Ready>
void WaitForWork(WorkSignal<Sync>& signal, Ready&& ready, double spin_ns) {
  if (spin_ns > 0.0 && signal.SpinForWork(ready, spin_ns)) return;
  signal.SleepForWork(ready);
}

}  // namespace engine::testing

#endif  // TESTS_ENGINE_SUPPORT_WAIT_FOR_WORK_H_
