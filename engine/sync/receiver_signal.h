// Where the threads that wait for rows of batches sleep. The writers of rows wake them.
#ifndef ENGINE_SYNC_RECEIVER_SIGNAL_H_
#define ENGINE_SYNC_RECEIVER_SIGNAL_H_

#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/sync/parker.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
struct ReceiverSignal {
  Parker<Sync> parker;
  // The number of threads that wait for a part of a batch, which every row wakes. Written by them.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> row_waiters{0};

  // Called by a writer after a commit, and by the thread that has taken a batch. `full`: whether
  // the next batch may be full; this wakes `wanted` threads.
  // Requires: the commit, or the change by the thread that took the batch, is seq_cst, as are the
  //   addition to row_waiters and the waiter's loads after it.
  // Memory ordering: seq_cst, so either this thread sees the waiter, or the waiter sees the change.
  void Notify(bool full, std::uint32_t wanted) {
    if (row_waiters.load(std::memory_order_seq_cst) > 0) {
      parker.Notify(UINT32_MAX);
    } else if (full) {
      parker.Notify(wanted);
    }
  }
};

static_assert(kFillsCacheLines<ReceiverSignal<StdSync>, 3>);

}  // namespace engine

#endif  // ENGINE_SYNC_RECEIVER_SIGNAL_H_
