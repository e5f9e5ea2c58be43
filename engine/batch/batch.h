// A finished batch, passed from the pool to the bindings.
#ifndef ENGINE_BATCH_BATCH_H_
#define ENGINE_BATCH_BATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/batch/batch_layout.h"
#include "engine/batch/block_store.h"
#include "engine/batch/row_target.h"
#include "engine/group/env_group.h"

namespace engine {

// The environments that threw, with the messages of their exceptions. Their rows or pictures are
// zero.
using Failures = std::vector<std::pair<std::uint32_t, std::string>>;

// Rows [0, rows()) of a leased block of each region. The destructor ends the leases that were not
// released; it may run on any thread, also after the pool has been destroyed. One thread at a time.
class Batch {
 public:
  // Not defaulted: GCC compiles a defaulted constructor, which is constexpr, to `rep stos`. That
  // takes longer than all other work on an empty batch.
  Batch() {}  // NOLINT(modernize-use-equals-default)
  // Takes over leased blocks; `blocks` is null for regions that the layout lacks.
  Batch(const std::array<Block*, kMaxRegions>& blocks, RowTarget target, std::uint32_t rows,
        bool has_ends, bool has_statistics)
      : blocks_(blocks),
        target_(std::move(target)),
        layout_(&blocks[0]->store->layout()),
        rows_(rows),
        has_ends_(has_ends),
        has_statistics_(has_statistics) {}
  Batch(Batch&& other) noexcept
      : raises(other.raises),
        failed(std::move(other.failed)),
        objects(std::move(other.objects)),
        blocks_(std::exchange(other.blocks_, {})),
        target_(std::move(other.target_)),
        layout_(std::exchange(other.layout_, nullptr)),
        rows_(std::exchange(other.rows_, 0)),
        has_ends_(other.has_ends_),
        has_statistics_(other.has_statistics_) {}
  Batch& operator=(Batch&& other) noexcept {
    if (this == &other) return *this;
    Drop();
    raises = other.raises;
    failed = std::move(other.failed);
    objects = std::move(other.objects);
    blocks_ = std::exchange(other.blocks_, {});
    target_ = std::move(other.target_);
    layout_ = std::exchange(other.layout_, nullptr);
    rows_ = std::exchange(other.rows_, 0);
    has_ends_ = other.has_ends_;
    has_statistics_ = other.has_statistics_;
    return *this;
  }
  ~Batch() { Drop(); }

  // False if there is no batch: it was moved from, or the call made none.
  explicit operator bool() const { return layout_ != nullptr; }
  std::uint32_t rows() const { return rows_; }
  // Whether an episode ended in this batch; otherwise final frames are undefined.
  bool has_ends() const { return has_ends_; }
  // Whether a whole game ended in this batch; otherwise statistics are undefined.
  bool has_statistics() const { return has_statistics_; }
  // Valid while a block of the batch is leased.
  const BatchLayout& layout() const { return *layout_; }

  // The memory of the caller into which fields of this batch were written, if any.
  const RowTarget& target() const { return target_; }

  // Row 0 of a field. Requires: the block of its region has not been released.
  std::byte* At(FieldIndex field) const {
    if (std::byte* const redirected = target_.At(*layout_, field)) return redirected;
    return InBlock(field);
  }

  template <class T>
  T* Data(FieldIndex field) const {
    return reinterpret_cast<T*>(At(field));
  }

  // The leased block of a region, from 0 to layout().num_regions - 1.
  Block* block(std::uint32_t region) const { return blocks_[region]; }
  // Releases the lease of a region to the caller, who must end it once, with BlockStore::EndLease.
  Block* Release(std::uint32_t region) { return std::exchange(blocks_[region], nullptr); }

  // Replaces the target. Copies the fields that `target` has into it, unless they are already
  // there, and copies the fields that only the previous target has into their blocks. At() then
  // returns the new addresses. Allocates nothing.
  // Requires: no block has been released; the target has rows() rows from its first_row on; the
  //   environments have no players.
  void MoveTo(const RowTarget& target) {
    for (FieldIndex field = 0; field < layout_->fields.size(); ++field) {
      const std::byte* const from = At(field);
      std::byte* to = target.At(*layout_, field);
      if (to == nullptr) to = InBlock(field);
      // The rows may overlap if both targets are in the same memory.
      if (to != from) {
        std::memmove(to, from, rows_ * layout_->fields[field].row_bytes);
      }
    }
    target_ = target;
  }

  // Ends the leases that have not been released.
  void Drop() noexcept {
    for (Block*& block : blocks_) {
      if (block != nullptr) BlockStore::EndLease(std::exchange(block, nullptr));
    }
    layout_ = nullptr;
  }

  // Whether `failed` is an error of the call; otherwise the environments begin new episodes at
  // their next step (PoolConfig::resets_failed).
  bool raises = true;
  Failures failed;
  // Objects of rows; empty if no row has one.
  std::vector<RowObject> objects;

 private:
  std::byte* InBlock(FieldIndex field) const {
    const Field& at = layout_->fields[field];
    return blocks_[static_cast<std::size_t>(at.region)]->memory + at.offset;
  }

  std::array<Block*, kMaxRegions> blocks_ = {};
  RowTarget target_;
  const BatchLayout* layout_ = nullptr;
  std::uint32_t rows_ = 0;
  bool has_ends_ = false;
  bool has_statistics_ = false;
};

}  // namespace engine

#endif  // ENGINE_BATCH_BATCH_H_
