// All memory of the batches of one size: a store of blocks per region, and the batches that are
// being written. The pool takes a batch, environments write its rows, and the pool completes and
// finishes it, which leases its blocks to the caller.
#ifndef ENGINE_BATCH_BATCH_MEMORY_H_
#define ENGINE_BATCH_BATCH_MEMORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/batch/batch_layout.h"
#include "engine/batch/block_allocator.h"
#include "engine/batch/block_store.h"
#include "engine/batch/row_target.h"
#include "engine/env/spec.h"
#include "engine/group/batch_view.h"
#include "engine/group/env_group.h"

namespace engine {

// A batch that is being written. There is one OpenBatch per block of the first region. Different
// threads may write different rows through view() and call Count; everything else is for the thread
// that took the batch.
class OpenBatch {
 public:
  explicit OpenBatch(const BatchLayout& layout);
  OpenBatch(const OpenBatch&) = delete;
  OpenBatch& operator=(const OpenBatch&) = delete;

  // The start of each region of a batch; null if the region is absent.
  using Memory = std::array<std::byte*, kMaxRegions>;
  // Makes view() point to other memory. Allocates nothing. A worker process uses it to write into
  // blocks of the pool's process.
  void PointTo(const Memory& memory);
  const Memory& memory() const { return memory_; }
  // Makes view() point to the target for the fields that the target has, until the batch is
  // finished or returned. Allocates nothing.
  // Requires: no row has been written since the batch was taken; the target has layout().rows rows
  //   from its first_row on, or as many as will be written.
  void Redirect(const RowTarget& target);

  const BatchView& view() const { return view_; }
  const BatchLayout& layout() const { return layout_; }
  // Row 0 of a field.
  std::byte* At(FieldIndex field) const {
    if (std::byte* const redirected = target_.At(layout_, field)) return redirected;
    const Field& at = layout_.fields[field];
    return memory_[static_cast<std::size_t>(at.region)] + at.offset;
  }
  template <class T>
  T* Data(FieldIndex field) const {
    return reinterpret_cast<T*>(At(field));
  }

  // Adds to the counts of the batch. Threads call it before they commit their rows, and the counts
  // are read when the batch is complete. The commits order these accesses, so relaxed is enough.
  void Count(const StepCounts& counts) {
    if (counts.failures > 0) failures_.fetch_add(counts.failures, std::memory_order_relaxed);
    if (counts.episodes > 0) episodes_.fetch_add(counts.episodes, std::memory_order_relaxed);
    if (counts.games > 0) games_.fetch_add(counts.games, std::memory_order_relaxed);
  }
  void ResetCounts() {
    failures_.store(0, std::memory_order_relaxed);
    episodes_.store(0, std::memory_order_relaxed);
    games_.store(0, std::memory_order_relaxed);
  }
  // Environments that threw.
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  // Episodes that ended.
  std::uint64_t episodes() const { return episodes_.load(std::memory_order_relaxed); }
  // Games that ended.
  std::uint64_t games() const { return games_.load(std::memory_order_relaxed); }

 private:
  friend class BatchMemory;

  class Addresses;

  void SetView(const Addresses& addresses);
  RowTarget TakeTarget();
  static void SetFrame(const Addresses& addresses, const FrameFields& frame,
                       std::vector<Column>& columns, FrameColumns& view);
  void SetPlayers(const Addresses& addresses);

  // The columns of players, to which view_ points.
  struct Players {
    std::vector<Column> columns, final_columns;  // infos, masks of infos
    PlayerColumns view, final_view;
    PlayerEpisodeColumns episode;
  };

  // Written by the owner of the memory. Count() also writes the counts.
  const BatchLayout& layout_;
  std::array<Block*, kMaxRegions> blocks_ = {};  // null: not taken
  Memory memory_ = {};  // of the latest blocks; view_ points into it, and into the target
  RowTarget target_;
  // Leaves, infos and masks of infos, referenced by the frames of view_.
  std::vector<Column> columns_, final_columns_;
  std::unique_ptr<Players> players_;  // null without players
  BatchView view_;
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> episodes_{0};
  std::atomic<std::uint64_t> games_{0};
};

// Derives the remaining columns of rows [0, rows), which workers have written: masks, zeros where
// no episode or game ended, dm_env's step types and the discounts of players.
void CompleteBatch(OpenBatch& batch, std::uint32_t rows);

// Requires: calls of Take, Return, Finish and Close do not overlap. (A pool calls the first three
//   under its state lock, and Close when no call is left in the pool.) Leases may end on any thread
//   at any time, and may outlive this object.
class BatchMemory {
 public:
  // `allocator` must live until the last lease has ended. At most `max_blocks` blocks of each
  // region are taken at a time; 0: no cap.
  BatchMemory(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras,
              BlockAllocator& allocator, std::uint64_t max_blocks);
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;
  // Frees all blocks that are not leased, including those of open batches.
  ~BatchMemory();

  const BatchLayout& layout() const { return *layout_; }

  // Takes a batch in unused blocks, with counts 0 and undefined rows.
  // Requires: called before Close.
  // Guarantees: allocates nothing while enough batches are returned. Throws Error{kBatchMemory} or
  //   std::bad_alloc; if it throws, it changes nothing.
  OpenBatch* Take();

  // Returns a batch that will not be delivered.
  void Return(OpenBatch* batch) noexcept;

  // Turns an open batch into a finished one, which holds a lease of each block.
  // Requires: CompleteBatch was called for it.
  Batch Finish(OpenBatch* batch, std::uint32_t rows) noexcept;

  // Frees the memory of free blocks now, and of other blocks when they are returned. Idempotent.
  void Close() noexcept;

  // Sums over the regions. Any thread, no lock, also after Close and in a forked child.
  BlockStats stats() const;

 private:
  struct EndStore {
    void operator()(BlockStore* store) const noexcept {
      store->Close();
      store->Unref();
    }
  };

  using Blocks = std::array<Block*, kMaxRegions>;

  Blocks TakeBlocks();
  void ReturnBlocks(const Blocks& blocks) noexcept;
  // `index`: of the batch's block in the first region. Makes the object if there is none yet.
  OpenBatch* OpenBatchOf(std::uint32_t index);

  const std::shared_ptr<const BatchLayout> layout_;
  std::array<std::unique_ptr<BlockStore, EndStore>, kMaxRegions> stores_;
  std::vector<std::unique_ptr<OpenBatch>> open_batches_;  // by the index of their first block
};

}  // namespace engine

#endif  // ENGINE_BATCH_BATCH_MEMORY_H_
