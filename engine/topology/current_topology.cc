#include "engine/topology/current_topology.h"

#include <vector>

#include "engine/base/fork_lock.h"
#include "engine/base/mutex.h"
#include "engine/base/os/affinity.h"

namespace engine {
namespace {

// Reading the kernel's files takes about a millisecond, so they are read once per
// cpuset: `key` is what AllowedProcessors returned.
struct Cache {
  Mutex mutex;
  std::vector<int> key ENGINE_GUARDED_BY(mutex);
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
  std::vector<int> key = AllowedProcessors();
  if (cache.topology == nullptr || key != cache.key) {
    cache.topology = std::make_shared<const Topology>(Topology::Read());
    cache.key = std::move(key);
  }
  return cache.topology;
}

}  // namespace engine
