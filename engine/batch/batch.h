// A finished batch on its way from the pool to the arrays of the caller.
#ifndef ENGINE_BATCH_BATCH_H_
#define ENGINE_BATCH_BATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/batch/batch_layout.h"
#include "engine/batch/block_store.h"

namespace engine {

// Environments whose rows or pictures are zeroed because they threw, and what.
using Failures = std::vector<std::pair<std::uint32_t, std::string>>;

// Rows [0, rows()) of a leased block of each region. Ends the leases that it still
// has when it is destroyed, on any thread, also after the pool has gone. One
// thread at a time.
class Batch {
 public:
  Batch() = default;
  // Takes over leased blocks; `blocks` of regions that the layout lacks are null.
  Batch(const std::array<Block*, kMaxRegions>& blocks, std::uint32_t rows, bool has_ends)
      : blocks_(blocks), layout_(&blocks[0]->store->layout()), rows_(rows), has_ends_(has_ends) {}
  Batch(Batch&& other) noexcept
      : failed(std::move(other.failed)),
        blocks_(std::exchange(other.blocks_, {})),
        layout_(std::exchange(other.layout_, nullptr)),
        rows_(std::exchange(other.rows_, 0)),
        has_ends_(other.has_ends_) {}
  Batch& operator=(Batch&& other) noexcept {
    if (this == &other) return *this;
    Drop();
    failed = std::move(other.failed);
    blocks_ = std::exchange(other.blocks_, {});
    layout_ = std::exchange(other.layout_, nullptr);
    rows_ = std::exchange(other.rows_, 0);
    has_ends_ = other.has_ends_;
    return *this;
  }
  ~Batch() { Drop(); }

  // False: there is none (it was moved from, or a call made no batch).
  explicit operator bool() const { return layout_ != nullptr; }
  std::uint32_t rows() const { return rows_; }
  // Whether an episode ended in it: else final frames and statistics are undefined.
  bool has_ends() const { return has_ends_; }
  // Lives as long as a block of the batch is leased.
  const BatchLayout& layout() const { return *layout_; }

  // Row 0 of a field. Requires: its region has not been given away.
  std::byte* At(FieldIndex field) const {
    const Field& at = layout_->fields[field];
    return blocks_[static_cast<std::size_t>(at.region)]->memory + at.offset;
  }

  template <class T>
  T* Data(FieldIndex field) const {
    return reinterpret_cast<T*>(At(field));
  }

  // The leased block of a region, from 0 to layout().num_regions - 1.
  Block* block(std::uint32_t region) const { return blocks_[region]; }
  // Gives the lease of a region away: whoever gets the block ends it, once, with
  // BlockStore::EndLease.
  Block* Release(std::uint32_t region) { return std::exchange(blocks_[region], nullptr); }

  // Ends the leases that have not been given away.
  void Drop() noexcept {
    for (Block*& block : blocks_) {
      if (block != nullptr) BlockStore::EndLease(std::exchange(block, nullptr));
    }
    layout_ = nullptr;
  }

  Failures failed;

 private:
  std::array<Block*, kMaxRegions> blocks_ = {};
  const BatchLayout* layout_ = nullptr;
  std::uint32_t rows_ = 0;
  bool has_ends_ = false;
};

}  // namespace engine

#endif  // ENGINE_BATCH_BATCH_H_
