// How many threads a pool starts, and the NUMA node of each. Pure functions of a Topology, called
// by the thread that makes the pool; each worker calls PinCurrentThread once when it starts.
#ifndef ENGINE_TOPOLOGY_PLACEMENT_H_
#define ENGINE_TOPOLOGY_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "engine/topology/topology.h"

namespace engine {

struct WorkerPlacement {
  // Topology::Node::id, or -1 if the operating system chooses. Workers of the same node have
  // contiguous indices.
  int node = -1;
  // The processors to bind the worker to; empty: the operating system chooses.
  std::vector<int> cpus;
};

// The placement that the user requests.
struct Affinity {
  enum class Kind : std::uint8_t {
    kDefault,  // nodes, if the machine has several and `uses_nodes`
    kCores,    // one processor each
    kNodes,    // the processors of one node each, even if there are fewer workers than nodes
    kList,     // as listed
  };
  Kind kind = Kind::kDefault;
  // kList: the processors of worker i are list[i % list.size()]. Not empty.
  std::vector<std::vector<int>> list{};
  // False: NUMA nodes are ignored, unless `kind` requests them.
  bool uses_nodes = true;
};

// One placement per worker; none if num_threads is not positive. By default:
//
// With one node, no thread is bound. With several nodes, workers are spread in proportion to the
// nodes' physical cores, then (if there are more workers than cores) to their further hardware
// threads, then (if there are more workers than processors) to all processors. Each worker is bound
// to all processors of its node, so the operating system still balances within the node. If there
// are fewer workers than nodes, no worker is bound: bound workers would be on the same few nodes in
// every pool and process, while the operating system can choose idle nodes.
//
// kCores spreads workers over the nodes in the same way, and within a node in the order of
// Node::by_core. With kList, the node of a worker is that of its processors, or -1 if they belong
// to several nodes.
std::vector<WorkerPlacement> PlaceWorkers(const Topology& topology, int num_threads,
                                          const Affinity& affinity = {});

// The nodes of workers and environments, as indices 0, 1, ... of the nodes that have workers.
struct NodePlan {
  std::uint32_t num_nodes = 1;
  std::vector<std::uint32_t> of_worker;
  std::vector<std::uint32_t> of_env;
};
// The environments are split into as many equal parts as there are workers. Worker i owns part
// i + 1, and the last worker owns part 0: in a job the caller takes part 0 first, in place of the
// last worker (see JobRunner). An environment belongs to the node of its part's owner. If any
// worker has no node, the plan has a single node.
NodePlan PlanNodes(const std::vector<WorkerPlacement>& workers, std::uint32_t num_envs);

// Whether it is known which node's workers step an environment, and so on which node its memory
// should be.
bool UsesNodes(const Topology& topology, std::uint32_t num_threads, const Affinity& affinity);

// The number of processors that this process may use, or its CPU quota rounded down if that is
// less; at least 1.
int NumUsableProcessors(const Topology& topology);

// The same; at most num_envs.
int DefaultNumThreads(const Topology& topology, std::int64_t num_envs);

// Binds the calling thread to placement.cpus. Does nothing if placement.cpus is empty or the system
// lacks the call. Errors are ignored on purpose: a sandbox may forbid the call, and processors may
// have gone offline since the topology was read. The thread then runs on other processors, perhaps
// more slowly, with the same results.
void PinCurrentThread(const WorkerPlacement& placement);

}  // namespace engine

#endif  // ENGINE_TOPOLOGY_PLACEMENT_H_
