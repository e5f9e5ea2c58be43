// The blocks of one region: taken by the pool, leased to NumPy arrays, and back
// when the last array that looks into one is dropped. A store grows rather than
// hand out a block that is still looked at, up to a cap; it frees what has not
// been needed for a while; it lives until its last lease has ended.
//
// Its owner is the BatchMemory of a pool, one thread at a time. Leases end on any
// thread, also after the owner has gone, at the interpreter's exit, or in a forked
// child: that takes no lock and calls nothing but the allocator's Free.
#ifndef ENGINE_BATCH_BLOCK_STORE_H_
#define ENGINE_BATCH_BLOCK_STORE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/batch/batch_layout.h"
#include "engine/batch/block_allocator.h"
#include "engine/sync/free_stack.h"

namespace engine {

class BlockStore;

// The memory of one region of one batch. Held by one user at a time: its store,
// the batch that is being written, or the lease behind NumPy arrays.
struct Block {
  std::byte* memory = nullptr;  // null: allocated when needed; written by who holds the block
  std::uint32_t index = 0;      // in its store; written before it is first handed out
  BlockStore* store = nullptr;  // as above
  Block* next_empty = nullptr;  // of the blocks without memory; written by the owner
};

// Counts of blocks that have memory.
struct BlockStats {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t leased_blocks = 0;
  std::uint64_t leased_bytes = 0;
};

class BlockStore {
 public:
  // A window in which the owner looks how many blocks it needed.
  static constexpr std::uint32_t kWindowTakes = 1024;

  // `layout` says what lies in the blocks, and lives as long as the store.
  // `max_blocks` 0: no cap. Starts with one reference, the owner's.
  BlockStore(std::shared_ptr<const BatchLayout> layout, Region region, BlockAllocator& allocator,
             std::uint64_t max_blocks);
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  const BatchLayout& layout() const { return *layout_; }
  Region region() const { return region_; }

  // A block that nobody looks at; its content is undefined.
  // Requires: the owner; before Close.
  // Guarantees: allocates only when every block is taken, and frees only, one
  //   block at a time, what two windows have not needed. Throws
  //   Error{kBatchMemory} when max_blocks blocks are taken, and std::bad_alloc;
  //   the store is as it was before then.
  // Memory ordering: acquire pairs with the release in Return and EndLease: the
  //   last use of the block happens before this one.
  Block* Take() {
    const std::uint32_t index = free_.Pop();
    Block* const block = index != FreeStack<>::kNone ? BlockOf(index) : Grow();
    Set(in_use_, in_use_.load(std::memory_order_relaxed) + 1);
    high_ = std::max(high_, Taken());
    if (++takes_ == kWindowTakes) EndWindow();
    if (num_blocks_.load(std::memory_order_relaxed) > keep_) FreeOne();
    return block;
  }

  // Gives back a block from Take that was not leased.
  // Requires: the owner. After Close it frees the memory at once.
  void Return(Block* block) noexcept;

  // From now on the block belongs to a lease, which keeps the store alive.
  // Requires: the owner; a block from Take.
  void Lease() noexcept {
    Set(in_use_, in_use_.load(std::memory_order_relaxed) - 1);
    // The owner has a reference, so none is made from nothing: relaxed is enough.
    uses_.fetch_add(kOneUse, std::memory_order_relaxed);
  }

  // Ends the lease of a block; may delete the store. Any thread; takes no lock.
  // Memory ordering: release pairs with the acquire in Take.
  static void EndLease(Block* block) noexcept;

  // Frees the memory of free blocks now, of taken ones as they come back.
  // Requires: the owner. Idempotent.
  void Close() noexcept;

  // Gives up the owner's reference. Blocks that were taken and neither leased nor
  // returned go with the store.
  // Requires: the owner; after Close.
  void Unref() noexcept;

  // Any thread, also beside the other calls and in a forked child: no lock.
  // Guarantees: what each count was at some moment.
  BlockStats stats() const;

 private:
  // uses_ is one word, so that the end of a lease and Close are ordered: whichever
  // comes second frees the block.
  static constexpr std::uint64_t kClosed = 1;
  static constexpr std::uint64_t kOneUse = 2;
  static constexpr std::uint32_t kSegments = 31;

  ~BlockStore();

  static std::uint64_t UsesIn(std::uint64_t word) { return word / kOneUse; }
  // Counters with one writer.
  static void Set(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    counter.store(value, std::memory_order_relaxed);
  }

  // Leases and, until Unref, not the owner.
  std::uint64_t Leased() const { return UsesIn(uses_.load(std::memory_order_relaxed)) - 1; }
  // A block whose lease is ending may be counted twice for a moment.
  std::uint64_t Taken() const {
    return std::min(in_use_.load(std::memory_order_relaxed) + Leased(),
                    num_blocks_.load(std::memory_order_relaxed));
  }
  Block* BlockOf(std::uint32_t index) const;
  Block* Grow();
  void MakeEmptyBlock();
  void CheckCap() const;
  void EndWindow();
  void FreeOne();
  void FreeAll() noexcept;
  void FreeMemory(Block& block) noexcept;

  const std::shared_ptr<const BatchLayout> layout_;
  const Region region_;
  const std::size_t block_bytes_;
  BlockAllocator& allocator_;
  const std::uint64_t max_blocks_;

  // The owner's.
  std::uint32_t takes_ = 0;       // in this window
  std::uint64_t high_ = 0;        // most blocks taken at once in this window
  std::uint64_t last_high_ = 0;   // ... in the one before
  std::uint64_t keep_ = 0;        // blocks beyond these are freed
  Block* first_empty_ = nullptr;  // blocks without memory
  // Blocks by index: segment s holds 2^s, so that none ever moves. Written by the
  // owner; others reach a block through an index that was pushed after that.
  std::array<std::unique_ptr<Block[]>, kSegments> segments_;
  // Taken and not leased. Written by the owner.
  std::atomic<std::uint64_t> in_use_{0};
  // With memory. Written by the owner, and after Close by whoever frees a block.
  std::atomic<std::uint64_t> num_blocks_{0};

  FreeStack<> free_;
  // References (the owner's and one per lease) times kOneUse, and kClosed.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> uses_{kOneUse};
};

}  // namespace engine

#endif  // ENGINE_BATCH_BLOCK_STORE_H_
