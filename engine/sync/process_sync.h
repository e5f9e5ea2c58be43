// The synchronisation policy for memory that processes share: like StdSync, but one process can
// wake a sleeper in another. Types that use it must contain only counters and indices, because the
// processes map the memory at different addresses.
#ifndef ENGINE_SYNC_PROCESS_SYNC_H_
#define ENGINE_SYNC_PROCESS_SYNC_H_

#include <atomic>
#include <cstdint>

#include "engine/sync/std_sync.h"

namespace engine {

struct ProcessSync : StdSync {
  static FutexResult FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                               std::int64_t timeout_ns) {
    return SharedFutexWait(word, expected, timeout_ns);
  }
  static void FutexWake(std::atomic<std::uint32_t>& word, std::uint32_t count) {
    SharedFutexWake(word, count);
  }
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "atomics in shared memory must not use locks of one process");

}  // namespace engine

#endif  // ENGINE_SYNC_PROCESS_SYNC_H_
