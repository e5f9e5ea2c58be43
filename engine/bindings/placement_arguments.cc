#include "engine/bindings/placement_arguments.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <vector>

#include "engine/base/error.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// "0-3,8": the kernel's format.
std::string TextOf(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[first]);
    if (last > first) text += "-" + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

Affinity ReadAffinity(const py::object& thread_affinity, const std::string& numa,
                      const Topology& topology) {
  Affinity affinity;
  if (numa != "auto" && numa != "off") {
    throw Error(ErrorKind::kInput, "numa: expected \"auto\" or \"off\", got \"" + numa + "\"");
  }
  affinity.uses_nodes = numa == "auto";
  if (thread_affinity.is_none()) return affinity;
  if (py::isinstance<py::str>(thread_affinity)) {
    affinity.kind = thread_affinity.cast<std::string>() == "cores" ? Affinity::Kind::kCores
                                                                   : Affinity::Kind::kNodes;
    return affinity;
  }
  affinity.kind = Affinity::Kind::kList;
  affinity.list = thread_affinity.cast<std::vector<std::vector<int>>>();
  for (const std::vector<int>& cpus : affinity.list) {
    for (const int cpu : cpus) {
      if (std::ranges::binary_search(topology.cpus, cpu)) continue;
      throw Error(ErrorKind::kInput,
                  "thread_affinity: expected processors that this process may use (" +
                      TextOf(topology.cpus) + "), got " + std::to_string(cpu));
    }
  }
  return affinity;
}

}  // namespace engine::bindings
