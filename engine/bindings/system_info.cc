#include "engine/bindings/system_info.h"

#include <limits>
#include <memory>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "engine/runtime/placement.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Identifies the cpuset cheaply; empty where the system cannot tell.
std::vector<unsigned char> AffinityKey() {
  std::vector<unsigned char> key;
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&set);
    key.assign(bytes, bytes + sizeof(set));
  }
#endif
  return key;
}

}  // namespace

const Topology& CurrentTopology() {
  // Reading the kernel's files takes about a millisecond: once per cpuset. Never
  // freed, as pools may be made until the very end.
  static auto* const key = new std::vector<unsigned char>;
  static Topology* topology = nullptr;
  std::vector<unsigned char> now = AffinityKey();
  if (topology == nullptr || now != *key) {
    auto fresh = std::make_unique<Topology>(Topology::Read());
    delete topology;
    topology = fresh.release();
    *key = std::move(now);
  }
  return *topology;
}

py::dict SystemInfo() {
  const Topology& topology = CurrentTopology();
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
