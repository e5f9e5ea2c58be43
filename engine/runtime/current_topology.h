// The machine this process runs on, kept so that making a pool does not read the
// kernel's files again. Any thread.
#ifndef ENGINE_RUNTIME_CURRENT_TOPOLOGY_H_
#define ENGINE_RUNTIME_CURRENT_TOPOLOGY_H_

#include <memory>

#include "engine/runtime/topology.h"

namespace engine {

// As read when the process's cpuset last changed.
std::shared_ptr<const Topology> CurrentTopology();

}  // namespace engine

#endif  // ENGINE_RUNTIME_CURRENT_TOPOLOGY_H_
