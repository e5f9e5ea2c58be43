// affinity.h with the scheduler's calls of Linux.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "engine/base/os/affinity.h"

namespace engine {

std::vector<int> AllowedProcessors() {
  constexpr std::size_t kMaxCpus = 65'536;  // above any kernel's limit (8,192)
  std::vector<int> cpus;
  cpu_set_t* const set = CPU_ALLOC(kMaxCpus);
  if (set == nullptr) return cpus;
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  if (sched_getaffinity(getpid(), bytes, set) == 0) {
    const auto count = static_cast<std::size_t>(CPU_COUNT_S(bytes, set));
    cpus.reserve(count);
    for (int cpu = 0; cpus.size() < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    }
  }
  CPU_FREE(set);
  return cpus;
}

void BindThisThread(const std::vector<int>& cpus) {
  const int highest = *std::max_element(cpus.begin(), cpus.end());
  const std::size_t count = static_cast<std::size_t>(highest) + 1;
  cpu_set_t usual;
  cpu_set_t* const set = count <= CPU_SETSIZE ? &usual : CPU_ALLOC(count);
  if (set == nullptr) return;
  const std::size_t bytes = count <= CPU_SETSIZE ? sizeof(usual) : CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(bytes, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  sched_setaffinity(0, bytes, set);
  if (set != &usual) CPU_FREE(set);
}

std::string ProcessorModel() { return ""; }

}  // namespace engine
