// How many threads a pool starts and on which NUMA node each of them runs. The
// decisions are pure functions of a Topology, taken by the thread that makes
// the pool; PinCurrentThread is called by each worker once, as it starts.
#ifndef ENGINE_RUNTIME_PLACEMENT_H_
#define ENGINE_RUNTIME_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "engine/runtime/topology.h"

namespace engine {

struct WorkerPlacement {
  // Topology::Node::id; workers of the same node have contiguous indices. -1:
  // wherever the operating system runs it.
  int node = -1;
  // What to pin the worker to; empty: leave it to the operating system.
  std::vector<int> cpus;
};

// One placement per worker; none if num_threads is not positive.
//
// With one node nothing is pinned. With several, workers are spread in
// proportion to the nodes' physical cores, then (more workers than cores) to
// their further hardware threads, then (more workers than processors) to all
// processors; each is pinned to its node's whole set, so that the operating
// system still balances within the node. Fewer workers than nodes are not
// pinned: they would land on the same few nodes in every pool and process,
// while the operating system sees where there is room.
std::vector<WorkerPlacement> PlaceWorkers(const Topology& topology, int num_threads);

// Processors that this process may use, or what its quota pays for in full if
// that is less; at most num_envs, at least 1.
int DefaultNumThreads(const Topology& topology, std::int64_t num_envs);

// Does nothing if placement.cpus is empty or the system has no such call.
// Errors are ignored by design: a sandbox may forbid the call and processors
// may have gone offline since the topology was read; the thread then runs where
// it did, perhaps slower, and computes the same.
void PinCurrentThread(const WorkerPlacement& placement);

}  // namespace engine

#endif  // ENGINE_RUNTIME_PLACEMENT_H_
