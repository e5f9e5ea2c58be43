#include "engine/bindings/system_info.h"

#include <limits>

#include "engine/topology/current_topology.h"
#include "engine/topology/placement.h"

namespace py = pybind11;

namespace engine::bindings {

py::dict SystemInfo() {
  const Topology topology = *CurrentTopology();
  py::dict info;
  info["cpu"] = topology.cpu_model;
  py::list cpus;
  for (const int cpu : topology.cpus) cpus.append(cpu);
  info["cpus"] = cpus;
  py::list nodes;
  for (const Topology::Node& node : topology.nodes) {
    py::dict one;
    one["id"] = node.id;
    py::list node_cpus;
    for (const int cpu : node.cpus) node_cpus.append(cpu);
    one["cpus"] = node_cpus;
    one["cores"] = node.num_cores;
    one["fast_cores"] = node.num_fast_cores;
    nodes.append(one);
  }
  info["numa_nodes"] = nodes;
  info["default_num_threads"] =
      DefaultNumThreads(topology, std::numeric_limits<std::int64_t>::max());
  info["compiler"] = ENVPOOL_COMPILER;
  info["build_type"] = ENVPOOL_BUILD_TYPE;
  return info;
}

}  // namespace engine::bindings
