// Arguments that say on which processors a pool's worker threads run.
#ifndef ENGINE_BINDINGS_PLACEMENT_ARGUMENTS_H_
#define ENGINE_BINDINGS_PLACEMENT_ARGUMENTS_H_

#include <pybind11/pybind11.h>

#include <string>

#include "engine/topology/placement.h"
#include "engine/topology/topology.h"

namespace engine::bindings {

// `thread_affinity`: None, "cores", "nodes", or a list with a list of processors for each worker.
// `numa`: "auto" or "off". Throws Error{kInput}, also if a processor is not one of the topology.
Affinity ReadAffinity(const pybind11::object& thread_affinity, const std::string& numa,
                      const Topology& topology);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PLACEMENT_ARGUMENTS_H_
