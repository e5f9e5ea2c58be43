#include "engine/topology/current_topology.h"

#include <vector>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

#include "engine/base/fork_lock.h"
#include "engine/base/mutex.h"

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

// Reading the kernel's files takes about a millisecond, so they are read once per cpuset.
struct Cache {
  Mutex mutex;
  std::vector<unsigned char> key ENGINE_GUARDED_BY(mutex);
  std::shared_ptr<const Topology> topology ENGINE_GUARDED_BY(mutex);
};

// Never destroyed, because pools may be made until the process ends.
Cache& TheCache() {
  static auto* const cache = new Cache;
  return *cache;
}

}  // namespace

std::shared_ptr<const Topology> CurrentTopology() {
  HoldDuringFork<[]() -> Mutex& { return TheCache().mutex; }>();
  Cache& cache = TheCache();
  const ScopedLock lock(cache.mutex);
  std::vector<unsigned char> key = AffinityKey();
  if (cache.topology == nullptr || key != cache.key) {
    cache.topology = std::make_shared<const Topology>(Topology::Read());
    cache.key = std::move(key);
  }
  return cache.topology;
}

}  // namespace engine
