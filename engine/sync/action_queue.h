// A bounded ring of the ids of environments that have an action and wait for a worker. One producer
// at a time and any number of workers use it. Workers take ids in pieces, in order of arrival. A
// pool has one for each NUMA node (node_queues.h).
//
// The ring contains only ids and counters. Rejected alternative: a ring per worker, so that an
// environment stays with the worker that stepped it last. The environments then stayed in their
// worker's cache, but the rate did not change (factor 0.98 to 1.02) on two processors, for five
// tasks of 15 ns to 100 us per step and a consumer of any speed.
#ifndef ENGINE_SYNC_ACTION_QUEUE_H_
#define ENGINE_SYNC_ACTION_QUEUE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class ActionQueue {
 public:
  // `max_queued`: the largest number of ids queued at the same time (the number of environments).
  // `first_position`: nonzero only in tests, which start near wrap-around.
  explicit ActionQueue(std::uint32_t max_queued, std::uint64_t first_position = 0)
      : mask_(std::bit_ceil(std::uint64_t{max_queued}) - 1),
        ids_(new typename Sync::template Atomic<std::uint32_t>[mask_ + 1]),
        tail_(first_position),
        head_(first_position) {}

  // Appends `n` ids.
  // Requires: one producer at a time; queued ids + n <= max_queued, so an unclaimed slot is never
  //   overwritten.
  // Memory ordering: the release of tail_ pairs with the acquire in Pop, so a worker that pops an
  //   id sees the action that the producer wrote before Push.
  void Push(const std::uint32_t* ids, std::uint32_t n) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < n; ++i) {
      ids_[(tail + i) & mask_].store(ids[i], std::memory_order_relaxed);
    }
    tail_.store(tail + n, std::memory_order_release);
  }

  // Takes ids in order of arrival into `ids` and returns their number: half of the waiting ids
  // (rounded up), within [least, most], but no more than are waiting. Taking half lets several
  // workers finish at about the same time.
  // Guarantees: each id is taken by exactly one worker. Lock-free.
  // Memory ordering: ids are read before they are claimed, because a claimed slot may be
  //   overwritten. A successful compare-exchange shows that head_ had not moved (64-bit positions
  //   never repeat), so no slot read was overwritten. Acquire of head_ ensures that tail_ is not
  //   older than head_.
  std::uint32_t Pop(std::uint32_t* ids, std::uint32_t min_ids, std::uint32_t max_ids) {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t waiting = tail_.load(std::memory_order_acquire) - head;
      if (waiting == 0) return 0;
      const std::uint64_t wanted = std::max<std::uint64_t>((waiting + 1) / 2, min_ids);
      const auto n =
          static_cast<std::uint32_t>(std::min({waiting, wanted, std::uint64_t{max_ids}}));
      for (std::uint32_t i = 0; i < n; ++i) {
        ids[i] = ids_[(head + i) & mask_].load(std::memory_order_relaxed);
      }
      if (head_.compare_exchange_weak(head, head + n, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return n;
      }
    }
  }

  // Copies the id that has waited longest, if there is one. It may be taken meanwhile, so the copy
  // may be of any id that was queued.
  bool Peek(std::uint32_t& id) const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    if (tail_.load(std::memory_order_acquire) == head) return false;
    id = ids_[head & mask_].load(std::memory_order_relaxed);
    return true;
  }

  // The number of waiting ids. It may be outdated when the call returns. It is 0 only if every id
  // that was queued before the call has been taken, so a worker may then sleep.
  std::uint64_t size() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_acquire) - head;
  }

 private:
  const std::uint64_t mask_;
  const std::unique_ptr<typename Sync::template Atomic<std::uint32_t>[]> ids_;
  // Next position to write; written by the producer.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> tail_;
  // Next position to take; written by workers.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> head_;
};

static_assert(kFillsCacheLines<ActionQueue<StdSync>, 3>);

}  // namespace engine

#endif  // ENGINE_SYNC_ACTION_QUEUE_H_
