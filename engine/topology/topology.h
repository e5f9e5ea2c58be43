// The processors that this process may use, their NUMA nodes and its CPU quota. Read from the
// kernel's files under a configurable root, so that tests can pass the files of other machines.
// Read once by the thread that makes a pool or requests system information; a plain value
// afterwards.
#ifndef ENGINE_TOPOLOGY_TOPOLOGY_H_
#define ENGINE_TOPOLOGY_TOPOLOGY_H_

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
    // Number of physical cores of `cpus`; less than cpus.size() if some of them are hardware
    // threads of one core.
    int num_cores = 0;
    // The same processors in the order in which single threads are bound to them: one processor of
    // each core before further hardware threads, and within each of these groups the fast cores
    // first.
    std::vector<int> by_core{};
    // Number of cores that are not slower than the node's fastest.
    int num_fast_cores = 0;
  };

  // The kernel's name of the processor model, or "unknown".
  std::string cpu_model = "unknown";
  // Processors that are online and in this process's cpuset; sorted, never
  // empty.
  std::vector<int> cpus;
  // Nodes with usable processors, by id; they partition `cpus`. Exactly one node if the kernel
  // reports none or inconsistent ones.
  std::vector<Node> nodes;
  // Processor time that the control groups of this process grant, in processors; nullopt: no limit.
  std::optional<double> cpu_quota;

  // Never fails: missing or malformed information is omitted. If there is no list of processors
  // under `root`, the system call for the process's affinity is used if `root` is "/"; otherwise
  // processor 0 is assumed.
  static Topology Read(const std::filesystem::path& root = "/");
};

// The kernel's list format: "0-3,8-11" is {0, 1, 2, 3, 8, 9, 10, 11} and "" is
// the empty list. Sorted and without duplicates; nullopt if malformed.
std::optional<std::vector<int>> ParseCpuList(std::string_view text);

}  // namespace engine

#endif  // ENGINE_TOPOLOGY_TOPOLOGY_H_
