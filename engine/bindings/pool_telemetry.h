// A pool's detailed statistics and its recordings of the threads' activities, as plain data for
// envpool_py/pool/telemetry.py. The functions take no lock of the pool. Any thread, with the GIL.
#ifndef ENGINE_BINDINGS_POOL_TELEMETRY_H_
#define ENGINE_BINDINGS_POOL_TELEMETRY_H_

#include <pybind11/pybind11.h>

#include <cstdint>

#include "engine/runtime/executor.h"

namespace engine::bindings {

// {"queued", "threads": list of {"role", "steps", ..., "step_ns", "idle_ns", "wait_ns"},
//  "recorded": None if nothing was ever recorded, or {"threads": list of {"ns", "counts",
//  "events"}, "histograms": list of (low, high, count) lists}}.
// Times are in ns. "ns" and "counts" are indexed by Activity, histograms by Measure; see
// engine/telemetry.
pybind11::dict DetailedStats(const Executor& executor);

// The recent events of each thread, since tick `since`: int64 (n, 4), each row with the activity,
// the start (ns after `since`), the duration (ns) and the number of environments.
pybind11::list RecordedEvents(const Executor& executor, std::uint64_t since);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_TELEMETRY_H_
