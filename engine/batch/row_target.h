// Memory of a caller into which rows of batches are written instead of into the pool's blocks, such
// as the rows of a rollout, or page-locked memory from which a device copies. A batch keeps its
// blocks for the fields that the target does not have.
#ifndef ENGINE_BATCH_ROW_TARGET_H_
#define ENGINE_BATCH_ROW_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/batch/batch_layout.h"

namespace engine {

// Immutable. Every object through which the memory may still be written holds a reference. The last
// reference is not dropped under a lock of the pool, because a destructor may take the host's lock.
struct TargetMemory {
  virtual ~TargetMemory() = default;

  // Row 0 of each field, by FieldIndex; null: the field stays in the batch's block. Rows follow
  // each other without gaps, as in a Field. Aligned for the elements of the field.
  std::vector<std::byte*> fields;
  std::uint64_t rows = 0;
};

// The rows of such memory that a batch gets. Row 0 of the batch is row `first_row` of the memory.
struct RowTarget {
  std::shared_ptr<const TargetMemory> memory;  // null: there is no target
  std::uint64_t first_row = 0;

  explicit operator bool() const { return memory != nullptr; }
  // Row 0 of the batch in a field; null if the target does not have the field.
  std::byte* At(const BatchLayout& layout, FieldIndex field) const {
    if (memory == nullptr || memory->fields[field] == nullptr) return nullptr;
    return memory->fields[field] + first_row * layout.fields[field].row_bytes;
  }
};

}  // namespace engine

#endif  // ENGINE_BATCH_ROW_TARGET_H_
