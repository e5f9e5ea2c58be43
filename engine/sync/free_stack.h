// A stack of the indices of free blocks of batch memory. The index pushed last is popped first,
// because its block is the most likely to be in cache. The thread that drops the last NumPy array
// of a block pushes the block's index. Any number of threads push and pop.
#ifndef ENGINE_SYNC_FREE_STACK_H_
#define ENGINE_SYNC_FREE_STACK_H_

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class FreeStack {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // `first_tag`: nonzero only in tests, which start close to wrap-around.
  explicit FreeStack(std::uint32_t first_tag = 0) : head_(Pack(first_tag, kNone)) {}

  // Adds an index to the stack's capacity, without pushing it, and returns it. Indices count up
  // from 0.
  // Requires: one thread at a time. The calling thread is the first to push the index or to pass it
  //   to another thread.
  std::uint32_t AddIndex() {
    const std::uint32_t index = size_++;
    const std::uint32_t segment = SegmentOf(index);
    if (segments_[segment] == nullptr) {
      segments_[segment].reset(new Link[std::size_t{1} << segment]);
    }
    return index;
  }

  // Memory ordering: release pairs with the acquire in Pop, so this thread's last use of the block
  //   happens before its next use.
  void Push(std::uint32_t index) {
    Link& link = LinkOf(index);
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      link.next.store(IndexIn(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(head, Pack(TagIn(head) + 1, index),
                                          std::memory_order_release, std::memory_order_relaxed));
  }

  // The index pushed last, or kNone. Lock-free.
  // Memory ordering: this thread may read a link while another thread reuses its index. The tag has
  //   then changed, and the compare-exchange fails.
  std::uint32_t Pop() {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint32_t index = IndexIn(head);
      if (index == kNone) return kNone;
      const std::uint32_t next = LinkOf(index).next.load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, Pack(TagIn(head) + 1, next), std::memory_order_acquire,
                                      std::memory_order_acquire)) {
        return index;
      }
    }
  }

 private:
  struct Link {
    typename Sync::template Atomic<std::uint32_t> next{kNone};
  };

  static constexpr std::uint64_t Pack(std::uint32_t tag, std::uint32_t index) {
    return static_cast<std::uint64_t>(tag) << 32 | index;
  }
  static constexpr std::uint32_t IndexIn(std::uint64_t head) {
    return static_cast<std::uint32_t>(head);
  }
  static constexpr std::uint32_t TagIn(std::uint64_t head) {
    return static_cast<std::uint32_t>(head >> 32);
  }
  // Segment s holds 2^s links, so links never move while the stack grows.
  static std::uint32_t SegmentOf(std::uint32_t index) {
    return static_cast<std::uint32_t>(std::bit_width(std::uint64_t{index} + 1) - 1);
  }
  Link& LinkOf(std::uint32_t index) const {
    const std::uint32_t segment = SegmentOf(index);
    return segments_[segment][index + 1 - (1U << segment)];
  }

  // Written by AddIndex only. A reader reaches a segment through an index, which was released to
  // the reader after AddIndex had allocated the segment.
  std::array<std::unique_ptr<Link[]>, 31> segments_;
  std::uint32_t size_ = 0;  // AddIndex only
  // Tag (counts changes) in the high half, top index in the low half.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> head_;
};

}  // namespace engine

#endif  // ENGINE_SYNC_FREE_STACK_H_
