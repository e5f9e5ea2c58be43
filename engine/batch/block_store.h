// The blocks of one region. The pool takes blocks and leases them to NumPy arrays. The lease of a
// block ends when the last array in it is dropped; the block may then be taken again. If all blocks
// are taken or leased, the store allocates another one, up to a limit. It frees blocks that have
// not been needed for a while. It is deleted once its owner has released it and its last lease has
// ended.
//
// Its owner is the BatchMemory of a pool, one thread at a time. Leases may end on any thread, also
// after the owner has been destroyed, at the interpreter's exit, or in a forked child, so ending a
// lease takes no lock and calls only the allocator's Free.
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

// The memory of one region of one batch. It has one user at a time: its store, the batch that is
// being written, or the NumPy arrays to which it is leased.
struct Block {
  std::byte* memory = nullptr;  // null: allocated when needed; written by the block's user
  std::uint32_t index = 0;      // in its store; written before the block is first taken
  BlockStore* store = nullptr;  // written before the block is first taken
  Block* next_empty = nullptr;  // list of the blocks without memory; written by the owner
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
  // The number of calls of Take in a period. In each period the owner measures how many blocks it
  // needs.
  static constexpr std::uint32_t kWindowTakes = 1024;

  // `layout` describes the blocks. `max_blocks` 0: no cap. The store starts with one reference, the
  // owner's.
  BlockStore(std::shared_ptr<const BatchLayout> layout, Region region, BlockAllocator& allocator,
             std::uint64_t max_blocks);
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  const BatchLayout& layout() const { return *layout_; }
  Region region() const { return region_; }

  // An unused block; its content is undefined.
  // Requires: the owner; before Close.
  // Guarantees: allocates only when every block is taken. Frees at most one block, and only one
  //   that was not needed in the two latest periods. Throws Error{kBatchMemory} when max_blocks
  //   blocks are taken, and std::bad_alloc; the store is then unchanged.
  // Memory ordering: acquire pairs with the release in Return and EndLease, so the last use of the
  //   block happens before this one.
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

  // Transfers a block to a lease, which keeps the store alive.
  // Requires: the owner; a block from Take.
  void Lease() noexcept {
    Set(in_use_, in_use_.load(std::memory_order_relaxed) - 1);
    // The owner has a reference, so the count is not zero before: relaxed is enough.
    uses_.fetch_add(kOneUse, std::memory_order_relaxed);
  }

  // Ends the lease of a block; may delete the store. Any thread; takes no lock.
  // Memory ordering: release pairs with the acquire in Take.
  static void EndLease(Block* block) noexcept;

  // Frees the memory of free blocks now, and of taken ones when they are returned.
  // Requires: the owner. Idempotent.
  void Close() noexcept;

  // Gives up the owner's reference. Blocks that are neither leased nor returned are freed with the
  // store.
  // Requires: the owner; after Close.
  void Unref() noexcept;

  // Any thread, also concurrently with the other calls and in a forked child: takes no lock.
  // Guarantees: each count was correct at some moment.
  BlockStats stats() const;

 private:
  // uses_ holds the number of references and whether the store is closed in one atomic word. If a
  // lease ends while another thread calls Close, the one that changes the word second sees the
  // other's change and frees the block.
  static constexpr std::uint64_t kClosed = 1;
  static constexpr std::uint64_t kOneUse = 2;
  static constexpr std::uint32_t kSegments = 31;

  ~BlockStore();

  static std::uint64_t UsesIn(std::uint64_t word) { return word / kOneUse; }
  // For counters with one writer.
  static void Set(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    counter.store(value, std::memory_order_relaxed);
  }

  // The number of leases. Subtracts the owner's reference, so it is valid only until Unref.
  std::uint64_t Leased() const { return UsesIn(uses_.load(std::memory_order_relaxed)) - 1; }
  // The number of blocks that are taken or leased. EndLease frees the block before it drops the
  // reference, so a block that is taken in between counts twice for a moment.
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

  // Used by the owner only.
  std::uint32_t takes_ = 0;       // in this period
  std::uint64_t high_ = 0;        // most blocks taken at once in this period
  std::uint64_t last_high_ = 0;   // ... in the previous period
  std::uint64_t keep_ = 0;        // more blocks than this are not needed; the excess is freed
  Block* first_empty_ = nullptr;  // blocks without memory
  // Blocks by index. Segment s holds 2^s blocks, so that blocks never move. Written by the owner.
  // Other threads reach a block through an index that was pushed after its segment was written.
  std::array<std::unique_ptr<Block[]>, kSegments> segments_;
  // The number of blocks that are taken and not leased. Written by the owner.
  std::atomic<std::uint64_t> in_use_{0};
  // The number of blocks with memory. Written by the owner, and after Close by the thread that
  // frees a block.
  std::atomic<std::uint64_t> num_blocks_{0};

  FreeStack<> free_;
  // References (the owner's and one per lease) times kOneUse, and kClosed.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> uses_{kOneUse};
};

}  // namespace engine

#endif  // ENGINE_BATCH_BLOCK_STORE_H_
