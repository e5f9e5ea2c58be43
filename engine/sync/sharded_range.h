// Work sharing for one batch whose items are known in advance. The indices [0, n) are split into
// one shard per participant. Each participant first takes chunks of its own shard, so that a thread
// gets the same environments at every step, and then steals from other shards. There is one
// publisher (the thread that steps the pool) and any number of participants, including the
// publisher.
//
// The cost of Publish does not depend on the number of shards: it writes published_, remaining_ and
// open_shards_, but not the cursors of the shards. The first claim from a shard sets its cursor.
// published_ and each cursor contain an epoch, which is the number of the range modulo 2^32. Their
// bits:
//   published_    epoch (32), kOwnersOnly (1), n (31)
//   cursor  epoch (32), next index of the shard to hand out (32)
// A claim reads published_ and a cursor, and then changes the cursor by a compare-exchange.
//
// A claim that is delayed until its range has ended fails. When a range ends, all its indices have
// been claimed, so the cursor of every shard that had indices holds the range's epoch and the end
// of the shard. The cursor gets the value that the delayed claim expects only after a multiple of
// 2^32 ranges. (With ranges of one microsecond, a thread would have to stop inside Claim for more
// than an hour.) So a claim that succeeds has used the n and kOwnersOnly of the epoch that it
// writes.
//
// With many participants, finished items and used-up shards are counted first within each group of
// shards, and then once per group. Otherwise all participants would write the same cache line at
// the end of a range. The counts of a group contain the epoch, too; the first participant that
// counts in a new epoch starts at 0. A claimed item is finished before the range ends, so no
// participant counts in the epoch of an earlier range.
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

// `kEpochBits`: tests use fewer bits, so that epochs wrap around sooner.
template <class Sync = StdSync, int kEpochBits = 32>
class ShardedRange {
 public:
  // Requires: num_shards <= 2^23.
  // `first_epoch`: nonzero only in tests, which start close to wrap-around. `shards_per_group`: 0
  // for a single group.
  explicit ShardedRange(std::uint32_t num_shards, std::uint32_t first_epoch = 0,
                        std::uint32_t shards_per_group = 0)
      : num_shards_(num_shards),
        shards_per_group_(shards_per_group == 0 ? num_shards : shards_per_group),
        num_groups_((num_shards + shards_per_group_ - 1) / shards_per_group_),
        shards_(new Shard[num_shards]),
        groups_(new Group[num_groups_]),
        published_(Pack(first_epoch & kEpochMask, 0)) {
    for (std::uint32_t g = 0; g < num_groups_; ++g) {
      groups_[g].finished.store(Pack(first_epoch & kEpochMask, 0), std::memory_order_relaxed);
      groups_[g].used_up.store(Pack(first_epoch & kEpochMask, 0), std::memory_order_relaxed);
    }
    for (std::uint32_t s = 0; s < num_shards; ++s) {
      shards_[s].cursor.store(Pack(first_epoch & kEpochMask, 0), std::memory_order_relaxed);
    }
  }

  std::uint32_t num_shards() const { return num_shards_; }

  // Offers [0, n) to the participants. If `steal` is false, only the owner of a shard claims from
  // it, so that the owner touches its memory first and the memory is on the right node.
  // Requires: publisher only; the previous range is Done(); n < 2^31.
  // Memory ordering: the release store of published_ pairs with the acquire in Claim, so claimants
  //   see what the publisher wrote before.
  void Publish(std::uint32_t n, bool steal) {
    const std::uint64_t last = published_.load(std::memory_order_relaxed);
    const std::uint32_t epoch = EpochIn(last);
    if (epoch % kRenewEvery == 0) Renew(epoch / kRenewEvery % num_shards_, last);
    remaining_.store(n, std::memory_order_relaxed);
    open_shards_.store(std::min(n, num_shards_), std::memory_order_relaxed);
    published_.store(Pack((epoch + 1) & kEpochMask, n | (steal ? 0 : kOwnersOnly)),
                     std::memory_order_release);
  }

  // Changes with every Publish. A participant that found no work need not look again until epoch()
  // changes.
  std::uint32_t epoch() const { return EpochIn(published_.load(std::memory_order_acquire)); }

  // Takes part of the range, first from shard `own`; returns an empty range if nothing is left.
  // Takes half of the rest of the shard, within [min_chunk, max_chunk]: large chunks first and
  // small ones near the end, so that all participants finish at about the same time. Calls
  // before_scan() before it searches the other shards, because the search takes time. In
  // before_scan() the participant should call Finish for its completed items, so that the publisher
  // does not wait for the search.
  // Requires: both bounds are at least 1; if they cross, the upper one applies.
  // Guarantees: every index is handed out exactly once. Lock-free. The search ends when all indices
  //   of the range have been handed out.
  // Memory ordering: acquire of published_ pairs with the release in Publish.
  template <class BeforeScan>
  IndexRange Claim(std::uint32_t own, std::uint32_t min_chunk, std::uint32_t max_chunk,
                   BeforeScan&& before_scan) {
    const std::uint64_t published = published_.load(std::memory_order_acquire);
    const IndexRange range = ClaimFrom(own, published, min_chunk, max_chunk);
    if (!range.empty()) return range;
    before_scan();
    return Steal(own, published, min_chunk, max_chunk);
  }
  // For participants that have nothing to report, or that report after each chunk.
  IndexRange Claim(std::uint32_t own, std::uint32_t min_chunk, std::uint32_t max_chunk) {
    return Claim(own, min_chunk, max_chunk, [] {});
  }

  // Reports `n` claimed indices as finished. Returns true for the call that finishes the last index
  // of the range. All `n` indices must belong to the same shard; `index` is one of them.
  // Memory ordering: release pairs with the acquire in Done(). The read-modify-writes form one
  //   release sequence, so Done() sees the results of all participants. With groups, the
  //   read-modify-writes of a group's count form a release sequence, too, and the participant that
  //   completes the group has acquired it.
  bool Finish(std::uint32_t index, std::uint32_t n) {
    if (num_groups_ > 1) {
      // Relaxed: this participant has acquired published_ in Claim, and the range is not over.
      const std::uint64_t published = published_.load(std::memory_order_relaxed);
      const GroupSize group = SizeOf(GroupOf(ShardOf(SizeIn(published), index)), SizeIn(published));
      if (!Count(groups_[group.index].finished, EpochIn(published), n, group.items)) return false;
      n = group.items;
    }
    return remaining_.fetch_sub(n, std::memory_order_acq_rel) == n;
  }

  bool Done() const { return remaining_.load(std::memory_order_acquire) == 0; }

 private:
  using Word = typename Sync::template Atomic<std::uint64_t>;
  struct alignas(kCacheLineBytes) Shard {
    Word cursor{0};  // written by claimants, and in Renew by the publisher
  };

  struct alignas(kCacheLineBytes) Group {
    // Each contains an epoch and a count; written by participants.
    Word finished{0};                          // finished items
    alignas(kCacheLineBytes) Word used_up{0};  // shards without an item left to claim
  };

  static_assert(kEpochBits >= 4 && kEpochBits <= 32);
  static constexpr std::uint32_t kEpochMask =
      static_cast<std::uint32_t>(~0ULL >> (64 - kEpochBits));
  static constexpr std::uint32_t kOwnersOnly = std::uint32_t{1} << 31;
  // Publish renews one shard after every kRenewEvery ranges.
  static constexpr std::uint32_t kRenewEvery = std::uint32_t{1} << (kEpochBits / 4);

  static constexpr std::uint64_t Pack(std::uint32_t epoch, std::uint32_t low) {
    return static_cast<std::uint64_t>(epoch) << 32 | low;
  }
  static constexpr std::uint32_t EpochIn(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32);
  }
  static constexpr std::uint32_t SizeIn(std::uint64_t published) {
    return static_cast<std::uint32_t>(published) & ~kOwnersOnly;
  }

  std::uint32_t Bound(std::uint32_t n, std::uint32_t shard) const {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * shard / num_shards_);
  }
  // The shard that has `index`: the last one whose bound is not above it.
  std::uint32_t ShardOf(std::uint32_t n, std::uint32_t index) const {
    return static_cast<std::uint32_t>(((static_cast<std::uint64_t>(index) + 1) * num_shards_ - 1) /
                                      n);
  }
  std::uint32_t GroupOf(std::uint32_t shard) const { return shard / shards_per_group_; }

  struct GroupSize {
    std::uint32_t index, items, shards;  // shards: those that have items
  };
  GroupSize SizeOf(std::uint32_t group, std::uint32_t n) const {
    const std::uint32_t first = group * shards_per_group_;
    const std::uint32_t end = std::min(first + shards_per_group_, num_shards_);
    const std::uint32_t items = Bound(n, end) - Bound(n, first);
    return {group, items, n < num_shards_ ? items : end - first};
  }

  // Adds `n` to a group's count for the epoch. Returns whether the count is then `all`.
  static bool Count(Word& count, std::uint32_t epoch, std::uint32_t n, std::uint32_t all) {
    std::uint64_t old = count.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t sum = (EpochIn(old) == epoch ? static_cast<std::uint32_t>(old) : 0) + n;
      if (count.compare_exchange_weak(old, Pack(epoch, sum), std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
        return sum == all;
      }
    }
  }

  // Counts a shard as used up.
  void CountUsedUp(std::uint32_t shard, std::uint64_t published) {
    std::uint32_t shards = 1;
    if (num_groups_ > 1) {
      const GroupSize group = SizeOf(GroupOf(shard), SizeIn(published));
      if (!Count(groups_[group.index].used_up, EpochIn(published), 1, group.shards)) return;
      shards = group.shards;
    }
    open_shards_.fetch_sub(shards, std::memory_order_relaxed);
  }

  // Whether nothing is left in the group that begins with shard `first`. A false result may be
  // outdated.
  bool IsUsedUp(std::uint32_t first, std::uint64_t published) const {
    const GroupSize group = SizeOf(GroupOf(first), SizeIn(published));
    return groups_[group.index].used_up.load(std::memory_order_relaxed) ==
           Pack(EpochIn(published), group.shards);
  }

  // A shard that gets no indices is never written, so its epoch falls behind. Renew marks the shard
  // as used up in the range `last`, which is Done(), before its old epoch can be mistaken for a
  // later one. It does the same for the counts of the shard's group.
  // Relaxed: the store of published_ orders these stores before the claims of the next range.
  void Renew(std::uint32_t shard, std::uint64_t last) {
    Group& group = groups_[GroupOf(shard)];
    for (Word* count : {&group.finished, &group.used_up}) {
      if (EpochIn(count->load(std::memory_order_relaxed)) == EpochIn(last)) continue;
      count->store(Pack(EpochIn(last), 0), std::memory_order_relaxed);
    }
    auto& cursor = shards_[shard].cursor;
    if (EpochIn(cursor.load(std::memory_order_relaxed)) == EpochIn(last)) return;
    cursor.store(Pack(EpochIn(last), Bound(SizeIn(last), shard + 1)), std::memory_order_relaxed);
  }

  IndexRange Steal(std::uint32_t own, std::uint64_t published, std::uint32_t min_chunk,
                   std::uint32_t max_chunk) {
    if ((published & kOwnersOnly) != 0) return {};
    for (std::uint32_t i = 1; i < num_shards_; ++i) {
      // Relaxed: the value is at least as recent as the store in the acquired Publish. A value of a
      // later range only costs additional checks.
      if (open_shards_.load(std::memory_order_relaxed) == 0) return {};
      const std::uint32_t victim = own + i < num_shards_ ? own + i : own + i - num_shards_;
      if (num_groups_ > 1 && victim % shards_per_group_ == 0 && IsUsedUp(victim, published)) {
        i += std::min(shards_per_group_, num_shards_ - victim) - 1;
        continue;
      }
      const IndexRange range = ClaimFrom(victim, published, min_chunk, max_chunk);
      if (!range.empty()) return range;
    }
    return {};
  }

  // Relaxed throughout: `published` was acquired, and the modification order of the cursor alone
  // decides a claim.
  IndexRange ClaimFrom(std::uint32_t shard, std::uint64_t published, std::uint32_t min_chunk,
                       std::uint32_t max_chunk) {
    const std::uint32_t epoch = EpochIn(published);
    const std::uint32_t end = Bound(SizeIn(published), shard + 1);
    auto& cursor = shards_[shard].cursor;
    std::uint64_t word = cursor.load(std::memory_order_relaxed);
    for (;;) {
      // The number of ranges by which the shard is behind, modulo the number of epochs. If it is
      // more than half of the number of epochs, the shard is ahead, so the range of `published` is
      // over.
      const std::uint32_t behind = (epoch - EpochIn(word)) & kEpochMask;
      if (behind > kEpochMask / 2) return {};
      const std::uint32_t begin =
          behind == 0 ? static_cast<std::uint32_t>(word) : Bound(SizeIn(published), shard);
      if (begin == end) return {};
      const std::uint32_t left = end - begin;
      const std::uint32_t size = std::min({left, std::max(left / 2, min_chunk), max_chunk});
      if (cursor.compare_exchange_weak(word, Pack(epoch, begin + size), std::memory_order_relaxed,
                                       std::memory_order_relaxed)) {
        // Runs before the Finish of these indices, and so before the next Publish.
        if (size == left) CountUsedUp(shard, published);
        return {begin, begin + size};
      }
    }
  }

  const std::uint32_t num_shards_;
  const std::uint32_t shards_per_group_;
  const std::uint32_t num_groups_;
  const std::unique_ptr<Shard[]> shards_;
  const std::unique_ptr<Group[]> groups_;
  alignas(kCacheLineBytes) Word published_;  // publisher
  // Indices not yet finished; set by the publisher, decremented by participants.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> remaining_{0};
  // Shards with indices not yet handed out; set by the publisher, decremented by the participant
  // that takes the last ones of a shard.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint32_t> open_shards_{0};
};

static_assert(kFillsCacheLines<ShardedRange<StdSync>, 4>);

}  // namespace engine

#endif  // ENGINE_SYNC_SHARDED_RANGE_H_
