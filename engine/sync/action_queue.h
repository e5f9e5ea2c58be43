// Environments that have an action and wait for a worker: a bounded ring of
// environment ids. One producer at a time (the pool's send, under its state
// mutex), any number of consuming workers, which take ids in chunks.
#ifndef ENGINE_SYNC_ACTION_QUEUE_H_
#define ENGINE_SYNC_ACTION_QUEUE_H_

#include <bit>
#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class ActionQueue {
 public:
  // `max_queued`: the most ids that are ever queued at once (the number of
  // environments). `first_position`: tests start near wrap-around.
  explicit ActionQueue(std::uint32_t max_queued, std::uint64_t first_position = 0)
      : mask_(std::bit_ceil(std::uint64_t{max_queued}) - 1),
        ids_(new typename Sync::template Atomic<std::uint32_t>[mask_ + 1]),
        tail_(first_position),
        head_(first_position) {}

  // Appends `n` ids.
  // Requires: one producer at a time; queued ids + n <= max_queued, so no slot
  //   that is not claimed yet is overwritten.
  // Memory ordering: the release of tail_ pairs with the acquire in Pop: what
  //   the producer wrote before (the actions) is visible to the consumer.
  void Push(const std::uint32_t* ids, std::uint32_t n) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < n; ++i) {
      ids_[(tail + i) & mask_].store(ids[i], std::memory_order_relaxed);
    }
    tail_.store(tail + n, std::memory_order_release);
  }

  // Takes up to `max_n` ids in order of arrival into `ids`; 0 if none is there.
  // Guarantees: each id is taken by exactly one consumer. Lock-free.
  // Memory ordering: ids are read before they are claimed, for once claimed
  //   their slots may be written again. A compare-exchange that succeeds shows
  //   that head_ had not moved (64-bit positions never repeat), hence that no
  //   slot read was overwritten. Acquire of head_ keeps tail_ from being read
  //   older than it.
  std::uint32_t Pop(std::uint32_t* ids, std::uint32_t max_n) {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t available = tail_.load(std::memory_order_acquire) - head;
      if (available == 0) return 0;
      const auto n = static_cast<std::uint32_t>(available < max_n ? available : max_n);
      for (std::uint32_t i = 0; i < n; ++i) {
        ids[i] = ids_[(head + i) & mask_].load(std::memory_order_relaxed);
      }
      if (head_.compare_exchange_weak(head, head + n, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return n;
      }
    }
  }

  // How many ids wait; a snapshot that may be outdated at once.
  std::uint64_t size() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_acquire) - head;
  }

 private:
  const std::uint64_t mask_;
  const std::unique_ptr<typename Sync::template Atomic<std::uint32_t>[]> ids_;
  // Next position to write; producer.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> tail_;
  // Next position to take; consumers.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> head_;
};

}  // namespace engine

#endif  // ENGINE_SYNC_ACTION_QUEUE_H_
