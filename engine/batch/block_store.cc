#include "engine/batch/block_store.h"

#include <bit>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace engine {
namespace {

std::uint32_t SegmentOf(std::uint32_t index) {
  return static_cast<std::uint32_t>(std::bit_width(std::uint64_t{index} + 1) - 1);
}

std::uint32_t OffsetIn(std::uint32_t segment, std::uint32_t index) {
  return index + 1 - (1U << segment);
}

const char* ContentOf(const BatchLayout& layout, Region region) {
  if (layout.num_regions == 1) return "batches";
  return region == Region::kObservations ? "observations"
                                         : "columns (rewards, flags and small infos)";
}

}  // namespace

BlockStore::BlockStore(std::shared_ptr<const BatchLayout> layout, Region region,
                       BlockAllocator& allocator, std::uint64_t max_blocks)
    : layout_(std::move(layout)),
      region_(region),
      // Allocators need not support a size of 0.
      block_bytes_(
          std::max(layout_->region_bytes[static_cast<std::size_t>(region)], kCacheLineBytes)),
      allocator_(allocator),
      max_blocks_(max_blocks) {}

BlockStore::~BlockStore() {
  for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
    if (segments_[segment] == nullptr) continue;
    for (std::uint32_t i = 0; i < (1U << segment); ++i) {
      Block& block = segments_[segment][i];
      if (block.memory != nullptr) allocator_.Free(block.memory, block_bytes_);
    }
  }
}

Block* BlockStore::BlockOf(std::uint32_t index) const {
  const std::uint32_t segment = SegmentOf(index);
  return &segments_[segment][OffsetIn(segment, index)];
}

// If it throws, the store is unchanged, except that it may have one more block without memory.
Block* BlockStore::Grow() {
  CheckCap();
  if (first_empty_ == nullptr) MakeEmptyBlock();
  Block* const block = first_empty_;
  block->memory = allocator_.Allocate(block_bytes_);
  first_empty_ = std::exchange(block->next_empty, nullptr);
  const std::uint64_t blocks = num_blocks_.fetch_add(1, std::memory_order_relaxed) + 1;
  keep_ = std::max(keep_, blocks);
  return block;
}

void BlockStore::MakeEmptyBlock() {
  // If an allocation below throws, this index is never used, which is harmless.
  const std::uint32_t index = free_.AddIndex();
  const std::uint32_t segment = SegmentOf(index);
  if (segments_[segment] == nullptr) {
    segments_[segment] = std::make_unique<Block[]>(std::size_t{1} << segment);
  }
  Block* const block = BlockOf(index);
  block->index = index;
  block->store = this;
  first_empty_ = block;
}

void BlockStore::CheckCap() const {
  if (max_blocks_ == 0 || num_blocks_.load(std::memory_order_relaxed) < max_blocks_) return;
  const std::uint64_t in_use = in_use_.load(std::memory_order_relaxed);
  const std::uint64_t leased = Leased();
  std::string message = "max_live_batches = " + std::to_string(max_blocks_) + ": all blocks of " +
                        ContentOf(*layout_, region_) + " are taken, " + std::to_string(leased) +
                        " by arrays of earlier results that are still referenced and " +
                        std::to_string(in_use) + " by batches in progress: ";
  if (leased > 0) message += "drop those arrays, or keep copies of them instead, or ";
  throw Error(ErrorKind::kBatchMemory, message + "make the pool with a larger max_live_batches");
}

void BlockStore::EndWindow() {
  keep_ = std::max(high_, last_high_);
  last_high_ = high_;
  high_ = Taken();
  takes_ = 0;
}

// One at a time, because freeing 100 MB takes milliseconds.
void BlockStore::FreeOne() {
  const std::uint32_t index = free_.Pop();
  if (index == FreeStack<>::kNone) return;
  Block* const block = BlockOf(index);
  FreeMemory(*block);
  block->next_empty = std::exchange(first_empty_, block);
}

void BlockStore::FreeMemory(Block& block) noexcept {
  allocator_.Free(std::exchange(block.memory, nullptr), block_bytes_);
  num_blocks_.fetch_sub(1, std::memory_order_relaxed);
}

void BlockStore::FreeAll() noexcept {
  for (;;) {
    const std::uint32_t index = free_.Pop();
    if (index == FreeStack<>::kNone) return;
    FreeMemory(*BlockOf(index));
  }
}

void BlockStore::Return(Block* block) noexcept {
  Set(in_use_, in_use_.load(std::memory_order_relaxed) - 1);
  free_.Push(block->index);
  if ((uses_.load(std::memory_order_relaxed) & kClosed) != 0) FreeAll();
}

void BlockStore::EndLease(Block* block) noexcept {
  BlockStore* const store = block->store;
  store->free_.Push(block->index);
  // While the store is open, its owner has a reference, so this reference is not the last one.
  // Release pairs with the acquire in Close, so Close finds the block.
  std::uint64_t uses = store->uses_.load(std::memory_order_relaxed);
  while ((uses & kClosed) == 0) {
    if (store->uses_.compare_exchange_weak(uses, uses - kOneUse, std::memory_order_release,
                                           std::memory_order_relaxed)) {
      return;
    }
  }
  // The store is closed. Close may have run before this block was pushed, so free it here.
  store->FreeAll();
  store->Unref();
}

void BlockStore::Close() noexcept {
  // Acquire pairs with the release in EndLease. The relaxed loads of kClosed there read the same
  // word, so a lease that ends later sees the flag.
  uses_.fetch_or(kClosed, std::memory_order_acq_rel);
  FreeAll();
}

void BlockStore::Unref() noexcept {
  // Release pairs with the acquire of the last Unref, so all uses of the blocks happen before the
  // store is deleted.
  if (UsesIn(uses_.fetch_sub(kOneUse, std::memory_order_acq_rel)) == 1) delete this;
}

BlockStats BlockStore::stats() const {
  BlockStats stats;
  stats.blocks = num_blocks_.load(std::memory_order_relaxed);
  stats.leased_blocks = std::min(Leased(), stats.blocks);
  stats.bytes = stats.blocks * block_bytes_;
  stats.leased_bytes = stats.leased_blocks * block_bytes_;
  return stats;
}

}  // namespace engine
