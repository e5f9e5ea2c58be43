// Which processors are hardware threads of one core, and which cores are slower than others. Read
// once, with the topology.
#ifndef ENGINE_TOPOLOGY_CORE_ORDER_H_
#define ENGINE_TOPOLOGY_CORE_ORDER_H_

#include <filesystem>
#include <map>
#include <vector>

namespace engine {

class CoreOrder {
 public:
  // `cpus`: the usable processors, sorted. If information is missing or malformed, each processor
  // counts as a separate core, and all cores as equally fast.
  CoreOrder(const std::filesystem::path& root, const std::vector<int>& cpus);

  // `cpus` in the order of Topology::Node::by_core. Here and below, `cpus` is a subset of the
  // constructor's `cpus`.
  std::vector<int> Sorted(std::vector<int> cpus) const;
  int NumCores(const std::vector<int>& cpus) const;
  // The number of cores that are not slower than the fastest of `cpus`.
  int NumFastCores(const std::vector<int>& cpus) const;

 private:
  struct Processor {
    std::vector<int> siblings;  // usable hardware threads of its core, sorted, itself included
    int capacity = 0;           // relative speed; the kernel's scale, 1,024 for the fastest
  };

  // The number of hardware threads of the same core in `cpus` (sorted) that come before `cpu`.
  int IndexInCore(int cpu, const std::vector<int>& cpus) const;
  int CapacityOf(int cpu) const { return processors_.at(cpu).capacity; }

  std::map<int, Processor> processors_;
};

}  // namespace engine

#endif  // ENGINE_TOPOLOGY_CORE_ORDER_H_
