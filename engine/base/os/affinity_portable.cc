// affinity.h where the system chooses the processors.
#if defined(__APPLE__)
#include <sys/sysctl.h>

#include <cstddef>
#endif

#include "engine/base/os/affinity.h"

namespace engine {

std::vector<int> AllowedProcessors() { return {}; }

void BindThisThread(const std::vector<int>& /*cpus*/) {}

std::string ProcessorModel() {
#if defined(__APPLE__)
  char brand[256] = {};
  std::size_t size = sizeof(brand) - 1;
  if (sysctlbyname("machdep.cpu.brand_string", brand, &size, nullptr, 0) == 0) return brand;
#endif
  return "";
}

}  // namespace engine
