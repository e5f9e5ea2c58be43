// The topology of this machine, cached so that making a pool does not read the kernel's files
// again. Any thread.
#ifndef ENGINE_TOPOLOGY_CURRENT_TOPOLOGY_H_
#define ENGINE_TOPOLOGY_CURRENT_TOPOLOGY_H_

#include <memory>

#include "engine/topology/topology.h"

namespace engine {

// The topology as it was read after the latest change of the process's cpuset.
std::shared_ptr<const Topology> CurrentTopology();

}  // namespace engine

#endif  // ENGINE_TOPOLOGY_CURRENT_TOPOLOGY_H_
