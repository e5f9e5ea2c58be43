#include "engine/topology/current_topology.h"

#include <vector>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>

#include "engine/base/mutex.h"
#endif

namespace engine {
namespace {

// A cheap identification of the process's cpuset; empty if the system has none. Reads the mask of
// the main thread, as Topology::Read does, because the calling thread may be bound separately.
std::vector<unsigned char> AffinityKey() {
  std::vector<unsigned char> key;
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(getpid(), sizeof(set), &set) == 0) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&set);
    key.assign(bytes, bytes + sizeof(set));
  }
#endif
  return key;
}

}  // namespace

std::shared_ptr<const Topology> CurrentTopology() {
  // Reading the kernel's files takes about a millisecond, so they are read once per cpuset. The
  // cache is never destroyed, because pools may be made until the process ends.
  struct Cache {
    Mutex mutex;
    std::vector<unsigned char> key ENGINE_GUARDED_BY(mutex);
    std::shared_ptr<const Topology> topology ENGINE_GUARDED_BY(mutex);
  };
  static auto* const cache = new Cache;
  const ScopedLock lock(cache->mutex);
  std::vector<unsigned char> key = AffinityKey();
  if (cache->topology == nullptr || key != cache->key) {
    cache->topology = std::make_shared<const Topology>(Topology::Read());
    cache->key = std::move(key);
  }
  return cache->topology;
}

}  // namespace engine
