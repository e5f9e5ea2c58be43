#include "engine/topology/core_order.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "engine/topology/kernel_files.h"

namespace engine {
namespace {

constexpr int kFullCapacity = 1024;
// The capacity assumed for an efficient core of a hybrid x86 processor, for which the kernel
// reports none.
constexpr int kEfficientCapacity = 512;
// Cores count as equally fast if their capacities differ by at most a tenth. The capacities
// of equal cores differ slightly, by the frequency that each can reach.
constexpr double kSameSpeed = 0.9;

}  // namespace

CoreOrder::CoreOrder(const std::filesystem::path& root, const std::vector<int>& cpus) {
  const std::vector<int> efficient =
      ReadCpuList(root / "sys/devices/cpu_atom/cpus").value_or(std::vector<int>{});
  for (const int cpu : cpus) {
    const std::filesystem::path directory =
        root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
    Processor processor;
    if (const auto siblings = ReadCpuList(directory / "topology/thread_siblings_list")) {
      processor.siblings = Intersection(*siblings, cpus);
    }
    if (!std::ranges::binary_search(processor.siblings, cpu)) processor.siblings = {cpu};
    const bool is_efficient = std::ranges::binary_search(efficient, cpu);
    processor.capacity = is_efficient ? kEfficientCapacity : kFullCapacity;
    if (const auto text = ReadFile(directory / "cpu_capacity")) {
      processor.capacity = ParseNumber<int>(Trim(*text)).value_or(processor.capacity);
    }
    processors_[cpu] = std::move(processor);
  }
}

int CoreOrder::IndexInCore(int cpu, const std::vector<int>& cpus) const {
  const std::vector<int> here = Intersection(processors_.at(cpu).siblings, cpus);
  return static_cast<int>(std::ranges::lower_bound(here, cpu) - here.begin());
}

std::vector<int> CoreOrder::Sorted(std::vector<int> cpus) const {
  const std::vector<int> all = cpus;
  std::ranges::sort(
      cpus, {}, [&](int cpu) { return std::tuple(IndexInCore(cpu, all), -CapacityOf(cpu), cpu); });
  return cpus;
}

int CoreOrder::NumCores(const std::vector<int>& cpus) const {
  return static_cast<int>(
      std::ranges::count_if(cpus, [&](int cpu) { return IndexInCore(cpu, cpus) == 0; }));
}

int CoreOrder::NumFastCores(const std::vector<int>& cpus) const {
  int max_capacity = 0;
  for (const int cpu : cpus) max_capacity = std::max(max_capacity, CapacityOf(cpu));
  return static_cast<int>(std::ranges::count_if(cpus, [&](int cpu) {
    return IndexInCore(cpu, cpus) == 0 && CapacityOf(cpu) >= kSameSpeed * max_capacity;
  }));
}

}  // namespace engine
