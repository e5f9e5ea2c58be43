// All memory of the batches of one size: a store of blocks per region, and the
// batches that are being written. The pool takes a batch, has environments write
// its rows, completes it, and finishes it: its blocks are leased to the caller and
// the OpenBatch is used again at once.
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
#include "engine/env/batch_view.h"
#include "engine/env/env_group.h"
#include "engine/env/spec.h"

namespace engine {

// A batch that is being written. Different threads may write different rows
// through view() and call Count; all else is for whoever took it.
class OpenBatch {
 public:
  explicit OpenBatch(const BatchLayout& layout);
  OpenBatch(const OpenBatch&) = delete;
  OpenBatch& operator=(const OpenBatch&) = delete;

  const BatchView& view() const { return view_; }
  const BatchLayout& layout() const { return layout_; }
  // Row 0 of a field.
  std::byte* At(FieldIndex field) const {
    const Field& at = layout_.fields[field];
    return blocks_[static_cast<std::size_t>(at.region)]->memory + at.offset;
  }
  template <class T>
  T* Data(FieldIndex field) const {
    return reinterpret_cast<T*>(At(field));
  }

  // What threads that fill the batch report before they commit their rows; read
  // once the batch is complete. The commit orders the two: relaxed is enough.
  void Count(const StepCounts& counts) {
    if (counts.failures > 0) failures_.fetch_add(counts.failures, std::memory_order_relaxed);
    if (counts.episodes > 0) episodes_.fetch_add(counts.episodes, std::memory_order_relaxed);
  }
  void ResetCounts() {
    failures_.store(0, std::memory_order_relaxed);
    episodes_.store(0, std::memory_order_relaxed);
  }
  // Environments that threw.
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  // Episodes that ended.
  std::uint64_t episodes() const { return episodes_.load(std::memory_order_relaxed); }

 private:
  friend class BatchMemory;

  class Places;

  // Makes view() look into new blocks. Allocates nothing.
  void LookInto(const std::array<Block*, kMaxRegions>& blocks);
  static void SetFrame(const Places& places, const FrameFields& frame, std::vector<Column>& columns,
                       FrameColumns& view);

  // All written by the owner of the memory; counts by Count, too.
  const BatchLayout& layout_;
  std::array<Block*, kMaxRegions> blocks_ = {};
  // Leaves, infos and masks of infos, as the frames of view_ name them.
  std::vector<Column> columns_, final_columns_;
  BatchView view_;
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> episodes_{0};
  OpenBatch* next_free_ = nullptr;
};

// Fills in what follows from the rows [0, rows) that workers have written: masks,
// zeroes where no episode ended, dm_env's step types.
void CompleteBatch(OpenBatch& batch, std::uint32_t rows);

// Requires: calls of Take, Return, Finish and Close do not overlap (a pool makes
//   them under its state lock). Leases end on any thread at any time, and may
//   outlive this object.
class BatchMemory {
 public:
  // `allocator` lives until the last lease has ended. At most `max_blocks` blocks
  // of each region are taken at a time; 0: no cap.
  BatchMemory(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras,
              BlockAllocator& allocator, std::uint64_t max_blocks);
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;
  // Frees what is not leased, open batches included.
  ~BatchMemory();

  const BatchLayout& layout() const { return *layout_; }

  // A batch over blocks that nobody looks at, its counts 0 and its rows undefined.
  // Requires: before Close.
  // Guarantees: allocates nothing while enough batches come back. Throws
  //   Error{kBatchMemory} and std::bad_alloc; nothing has changed then.
  OpenBatch* Take();

  // Gives a batch back whose rows nobody gets.
  void Return(OpenBatch* batch) noexcept;

  // Leases the blocks of a batch to the one that it returns, and takes back the
  // OpenBatch. CompleteBatch comes before.
  Batch Finish(OpenBatch* batch, std::uint32_t rows) noexcept;

  // Frees the memory of free blocks now, of others as they come back. Idempotent.
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

  std::array<Block*, kMaxRegions> TakeBlocks();
  void MakeOpenBatch();
  void Free(OpenBatch* batch) noexcept;

  const std::shared_ptr<const BatchLayout> layout_;
  std::array<std::unique_ptr<BlockStore, EndStore>, kMaxRegions> stores_;
  std::vector<std::unique_ptr<OpenBatch>> open_batches_;
  OpenBatch* first_free_ = nullptr;  // of open_batches_
};

}  // namespace engine

#endif  // ENGINE_BATCH_BATCH_MEMORY_H_
