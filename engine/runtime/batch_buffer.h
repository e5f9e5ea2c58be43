// Memory of batches. A Block holds every column of one batch in one 64-byte
// aligned piece; NumPy arrays point straight into it and keep it leased. A
// BatchBuffer hands out blocks and takes them back when the last array that
// looks into one is dropped; it grows rather than reuse a block that is still
// looked at, and never shrinks while it lives.
#ifndef ENGINE_RUNTIME_BATCH_BUFFER_H_
#define ENGINE_RUNTIME_BATCH_BUFFER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/env/batch_view.h"
#include "engine/env/env_group.h"
#include "engine/env/spec.h"
#include "engine/sync/free_stack.h"

namespace engine {

class BatchBuffer;

// Columns beyond those of every batch.
struct BatchExtras {
  bool final_frames = false;  // SameStep: the last frames of ended episodes
  bool dm_columns = false;    // step_type and discount
  bool episodes = false;      // statistics of ended episodes
};

// Where each column lies in a block. Immutable.
class BatchLayout {
 public:
  BatchLayout(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras);

  struct Frame {
    std::vector<std::size_t> obs, info, info_mask;
    std::size_t elapsed_step = 0;
    std::size_t elapsed_step_mask = 0;
  };

  std::uint32_t rows = 0;
  std::size_t bytes = 0;
  std::vector<std::size_t> leaf_bytes;  // per row
  std::vector<std::size_t> info_bytes;  // per row
  Frame frame, final_frame;
  std::size_t reward = 0, terminated = 0, truncated = 0, env_id = 0, env_id_mask = 0;
  std::size_t final_mask = 0, final_info_mask = 0;  // with final_frames
  std::size_t step_type = 0, discount = 0;          // with dm_columns
  std::size_t episode_total_reward = 0, episode_length = 0, episode_seconds = 0;
  std::size_t episode_mask = 0;  // with episodes
  BatchExtras extras;

 private:
  Frame PlaceFrame(const EnvSpec& spec);
  std::size_t Place(std::size_t bytes_per_row);
};

// One batch. Owned by its BatchBuffer; held by one user at a time (the pool
// while it is filled, then the lease behind the NumPy arrays).
class Block {
 public:
  Block(const BatchLayout& layout, std::uint32_t index, BatchBuffer* buffer);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const BatchView& view() const { return view_; }
  const BatchLayout& layout() const { return layout_; }
  std::byte* At(std::size_t offset) const { return memory_ + offset; }
  std::uint32_t index() const { return index_; }
  BatchBuffer* buffer() const { return buffer_; }

  // What workers that fill the block report before they commit their rows;
  // read once the batch is complete, which orders the two.
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
  void BuildColumns(const BatchLayout::Frame& frame, std::vector<Column>& columns,
                    FrameColumns& view);

  const BatchLayout& layout_;
  const std::uint32_t index_;
  BatchBuffer* const buffer_;
  std::byte* const memory_;
  std::vector<Column> columns_, final_columns_;
  BatchView view_;
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> episodes_{0};
};

// Fills in what follows from the rows [0, rows) that workers have written:
// masks, zeroes where no episode ended, dm_env's step types.
void CompleteBlock(Block& block, std::uint32_t rows);

class BatchBuffer {
 public:
  // Starts with one reference, the creator's.
  BatchBuffer(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras);

  // A block nobody looks at, allocated if there is none. Any thread. No
  // allocation when enough blocks have been released.
  Block* Take();

  // Gives back a block from Take(), from any thread.
  void Return(Block* block) { free_.Push(block->index()); }

  // Leases outlive the pool: each keeps the buffer alive until it ends.
  void Ref() { references_.fetch_add(1, std::memory_order_relaxed); }
  // Deletes the buffer at the last reference. Release pairs with the acquire of
  // the last Unref: whatever others did with their blocks is over.
  void Unref();

  // Ends the lease of a block that was handed out together with a reference.
  static void EndLease(Block* block) {
    BatchBuffer* const buffer = block->buffer();
    buffer->Return(block);
    buffer->Unref();
  }

  const BatchLayout& layout() const { return layout_; }
  std::uint64_t num_blocks() const { return num_blocks_.load(std::memory_order_relaxed); }

 private:
  ~BatchBuffer() = default;

  const BatchLayout layout_;
  FreeStack<> free_;
  std::mutex grow_mutex_;
  std::vector<std::unique_ptr<Block>> owned_;  // guarded by grow_mutex_
  // Block of an index, readable while others grow: segment s has 2^s entries.
  std::array<std::unique_ptr<Block*[]>, 31> by_index_;  // entries written before their first Push
  std::atomic<std::uint64_t> num_blocks_{0};
  std::atomic<std::uint64_t> references_{1};
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_BATCH_BUFFER_H_
