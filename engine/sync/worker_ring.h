// The environments that one worker process has to run: a ring of ids with one producer at a time
// and one consumer. It is in memory that processes share, so it contains only counters and indices.
//
// The consumer counts an item as finished after it has written the results. So if the consumer
// dies, the producer can tell which items are complete, which one may be partly done, and which
// were not begun.
#ifndef ENGINE_SYNC_WORKER_RING_H_
#define ENGINE_SYNC_WORKER_RING_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/sync/process_sync.h"

namespace engine {

// The part in shared memory, followed by the ids.
template <class Sync = ProcessSync>
struct WorkerRingState {
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> pushed{0};    // producer
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> finished{0};  // consumer
};

// A process's view of a ring.
template <class Sync = ProcessSync>
class WorkerRing {
 public:
  using Id = typename Sync::template Atomic<std::uint32_t>;

  // The number of elements that `ids` needs for at most `most` unfinished items.
  static constexpr std::size_t Capacity(std::uint32_t max_ids) {
    return std::bit_ceil(std::size_t{max_ids == 0 ? 1 : max_ids});
  }

  WorkerRing(WorkerRingState<Sync>& state, Id* ids, std::uint32_t max_ids)
      : state_(&state), ids_(ids), mask_(Capacity(max_ids) - 1) {}

  // --- The producer
  // Requires: one producer at a time; at most `most` items are unfinished.
  // Memory ordering: release pairs with the acquire in empty(), so the consumer sees what the
  //   producer wrote before (the request). Only Publish makes items visible, so several items need
  //   only one release.
  void Put(std::uint64_t position, std::uint32_t id) {
    ids_[position & mask_].store(id, std::memory_order_relaxed);
  }
  void Publish(std::uint64_t pushed) { state_->pushed.store(pushed, std::memory_order_release); }
  // The next position.
  std::uint64_t pushed() const { return state_->pushed.load(std::memory_order_relaxed); }
  // Items before this position are finished.
  // Memory ordering: acquire pairs with the release in Finish.
  std::uint64_t finished() const { return state_->finished.load(std::memory_order_acquire); }
  // Counts all items before this position as finished. Requires: the consumer's process has ended.
  void FinishTo(std::uint64_t position) {
    state_->finished.store(position, std::memory_order_release);
  }

  // --- The consumer
  bool empty() const {
    return state_->pushed.load(std::memory_order_acquire) ==
           state_->finished.load(std::memory_order_relaxed);
  }
  // The item to run. Requires: not empty().
  std::uint32_t Front() const {
    return ids_[state_->finished.load(std::memory_order_relaxed) & mask_].load(
        std::memory_order_relaxed);
  }
  // Counts the front item as finished. Returns the number of items finished so far, including this
  // one.
  std::uint64_t Finish() {
    const std::uint64_t finished = state_->finished.load(std::memory_order_relaxed) + 1;
    state_->finished.store(finished, std::memory_order_release);
    return finished;
  }

 private:
  WorkerRingState<Sync>* state_;
  Id* ids_;
  std::uint64_t mask_;
};

static_assert(kFillsCacheLines<WorkerRingState<ProcessSync>, 2>);

}  // namespace engine

#endif  // ENGINE_SYNC_WORKER_RING_H_
