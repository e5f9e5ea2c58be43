// The processors that this process may use, their NUMA nodes and its CPU quota,
// read from the kernel's files under an injectable root so that a machine with
// eight nodes can be tested on a laptop. Read once by the thread that makes a
// pool or asks for system information; a plain value afterwards.
#ifndef ENGINE_RUNTIME_TOPOLOGY_H_
#define ENGINE_RUNTIME_TOPOLOGY_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct Topology {
  struct Node {
    int id = 0;             // the kernel's number; ids may have gaps
    std::vector<int> cpus;  // sorted, usable, never empty
    // Physical cores that `cpus` belong to; less than cpus.size() where two
    // usable processors are hardware threads of one core.
    int num_cores = 0;
  };

  // As the kernel names it; "unknown" where it does not.
  std::string cpu_model = "unknown";
  // Processors that are online and in this process's cpuset; sorted, never
  // empty.
  std::vector<int> cpus;
  // Nodes with usable processors, by id; they divide `cpus` among them. Exactly
  // one where the kernel tells of none or what it tells does not add up.
  std::vector<Node> nodes;
  // How many processors' worth of time the control groups of this process grant
  // it; nullopt: all it can get.
  std::optional<double> cpu_quota;

  // Never fails: what is missing or malformed is left out. Without any list of
  // processors under `root`, the calling process is asked if `root` is "/" (the
  // only way on systems without these files), else processor 0 is assumed.
  static Topology Read(const std::filesystem::path& root = "/");
};

// The kernel's list format: "0-3,8-11" is {0, 1, 2, 3, 8, 9, 10, 11} and "" is
// the empty list. Sorted and without duplicates; nullopt if malformed.
std::optional<std::vector<int>> ParseCpuList(std::string_view text);

}  // namespace engine

#endif  // ENGINE_RUNTIME_TOPOLOGY_H_
