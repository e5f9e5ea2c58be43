// Work sharing for one batch whose items are known beforehand: the indices
// [0, n) are split into one shard per participant; each takes chunks of its own
// shard first, so that the same thread meets the same environments at every
// step, and then steals from the others. One publisher (the thread that steps
// the pool), any number of participants, the publisher among them.
#ifndef ENGINE_SYNC_SHARDED_RANGE_H_
#define ENGINE_SYNC_SHARDED_RANGE_H_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

struct IndexRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
};

template <class Sync = StdSync>
class ShardedRange {
 public:
  // `first_epoch`: tests start near wrap-around.
  explicit ShardedRange(std::uint32_t num_shards, std::uint32_t first_epoch = 0)
      : num_shards_(num_shards), shards_(new Shard[num_shards]), epoch_(first_epoch) {}

  std::uint32_t num_shards() const { return num_shards_; }

  // Offers [0, n) to the participants. With `steal` false each shard is left to
  // its owner (first touch of memory on the right node).
  // Requires: publisher only; the previous range is Done(); n < 2^31.
  // Memory ordering: what the publisher wrote before is visible to whoever
  //   claims: the release stores of the cursors pair with the acquire in
  //   ClaimFrom.
  void Publish(std::uint32_t n, bool steal) {
    remaining_.store(n, std::memory_order_relaxed);
    for (std::uint32_t s = 0; s < num_shards_; ++s) {
      shards_[s].cursor.store(Pack(Bound(n, s), Bound(n, s + 1)) | (steal ? 0 : kOwnersOnly),
                              std::memory_order_release);
    }
    epoch_.fetch_add(1, std::memory_order_release);  // pairs with epoch()
  }

  // Changes at every Publish. A participant that found no work need not look
  // again before it has changed.
  std::uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  // Takes part of the range, from shard `own` first; empty when nothing is
  // left. Half of what the shard still holds, within [min_chunk, max_chunk]:
  // large pieces first, small ones near the end so that all finish together.
  // Requires: both bounds are at least 1; the upper one wins if they cross.
  // Guarantees: every index is handed out exactly once. Lock-free.
  IndexRange Claim(std::uint32_t own, std::uint32_t min_chunk, std::uint32_t max_chunk) {
    IndexRange range = ClaimFrom(own, true, min_chunk, max_chunk);
    if (!range.empty()) return range;
    for (std::uint32_t i = 1; i < num_shards_; ++i) {
      const std::uint32_t victim = own + i < num_shards_ ? own + i : own + i - num_shards_;
      range = ClaimFrom(victim, false, min_chunk, max_chunk);
      if (!range.empty()) return range;
    }
    return range;
  }

  // Reports `n` claimed indices as finished; true for the call that finishes
  // the last one.
  // Memory ordering: release pairs with the acquire in Done(); the
  //   read-modify-writes form one release sequence, so Done() sees the results
  //   of all participants.
  bool Finish(std::uint32_t n) { return remaining_.fetch_sub(n, std::memory_order_acq_rel) == n; }

  bool Done() const { return remaining_.load(std::memory_order_acquire) == 0; }

 private:
  struct alignas(kCacheLineBytes) Shard {
    // kOwnersOnly or 0, begin in the high half, end in the low half; the indices
    // not handed out. Written by the publisher and by whoever claims. All three
    // travel together, so a compare-exchange that succeeds has claimed from the
    // range that is published now and was allowed to, even if the word was read
    // under an earlier range.
    typename Sync::template Atomic<std::uint64_t> cursor{0};
  };

  static constexpr std::uint64_t kOwnersOnly = std::uint64_t{1} << 63;

  static constexpr std::uint64_t Pack(std::uint32_t begin, std::uint32_t end) {
    return static_cast<std::uint64_t>(begin) << 32 | end;
  }

  std::uint32_t Bound(std::uint32_t n, std::uint32_t shard) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * shard / num_shards_);
  }

  IndexRange ClaimFrom(std::uint32_t shard, bool owner, std::uint32_t min_chunk,
                       std::uint32_t max_chunk) {
    auto& cursor = shards_[shard].cursor;
    std::uint64_t word = cursor.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t owners_only = word & kOwnersOnly;
      if (!owner && owners_only != 0) return {};
      const auto begin = static_cast<std::uint32_t>((word & ~kOwnersOnly) >> 32);
      const auto end = static_cast<std::uint32_t>(word);
      if (begin == end) return {};
      const std::uint32_t left = end - begin;
      const std::uint32_t size = std::min({left, std::max(left / 2, min_chunk), max_chunk});
      if (cursor.compare_exchange_weak(word, Pack(begin + size, end) | owners_only,
                                       std::memory_order_acquire, std::memory_order_relaxed)) {
        return {begin, begin + size};
      }
    }
  }

  const std::uint32_t num_shards_;
  const std::unique_ptr<Shard[]> shards_;
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> epoch_;  // publisher
  // Indices not finished; set by the publisher, counted down by participants.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> remaining_{0};
};

}  // namespace engine

#endif  // ENGINE_SYNC_SHARDED_RANGE_H_
