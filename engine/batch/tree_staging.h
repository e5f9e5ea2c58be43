// Stages the actions of environments that are not written in C++: trees of arrays, in the dtypes
// that the caller gave, or objects as byte strings. Each environment has one slot, in memory that
// may be shared with the process that steps it. The caller of the pool checks shapes and dtypes.
#ifndef ENGINE_BATCH_TREE_STAGING_H_
#define ENGINE_BATCH_TREE_STAGING_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/batch/action_staging.h"

namespace engine {

// The actions of one call, to which ArrayView::tree points. Valid during the call.
struct ActionTree {
  // One leaf of the action space; row k is at data + k * row_bytes.
  struct Column {
    const std::byte* data = nullptr;
    std::size_t row_bytes = 0;
    std::uint32_t type = 0;  // of the elements; writer and reader define its meaning
  };
  std::uint32_t rows = 0;
  std::vector<Column> columns;
  std::vector<std::string_view> objects;  // per row, instead of columns
};

// The layout of a slot: the types of the columns, the position of the object, the columns.
class TreeSlotLayout {
 public:
  struct Object {
    std::uint64_t offset = 0;  // from an origin on which writer and reader agree
    std::uint64_t bytes = 0;
  };

  // `max_bytes`: the size of the largest row of each column.
  explicit TreeSlotLayout(std::vector<std::size_t> max_bytes);

  std::size_t slot_bytes() const { return slot_bytes_; }
  std::size_t num_columns() const { return offsets_.size(); }
  std::size_t max_bytes(std::size_t column) const { return max_bytes_[column]; }
  std::uint32_t* Types(std::byte* slot) const { return reinterpret_cast<std::uint32_t*>(slot); }
  const std::uint32_t* Types(const std::byte* slot) const {
    return reinterpret_cast<const std::uint32_t*>(slot);
  }
  Object* ObjectOf(std::byte* slot) const {
    return reinterpret_cast<Object*>(slot + object_offset_);
  }
  const Object* ObjectOf(const std::byte* slot) const {
    return reinterpret_cast<const Object*>(slot + object_offset_);
  }
  std::byte* Column(std::byte* slot, std::size_t column) const { return slot + offsets_[column]; }
  const std::byte* Column(const std::byte* slot, std::size_t column) const {
    return slot + offsets_[column];
  }

 private:
  std::vector<std::size_t> max_bytes_;
  std::vector<std::size_t> offsets_;
  std::size_t object_offset_ = 0;
  std::size_t slot_bytes_ = 0;
};

// Memory for one byte string per environment. A new string replaces the previous one.
class ByteBuffers {
 public:
  virtual ~ByteBuffers() = default;
  // Returns memory for the next string of `env`, of `bytes` bytes. Throws Error{kInput} if that is
  // too long.
  virtual std::byte* Reserve(std::uint32_t env, std::size_t bytes) = 0;
  // The origin of the strings' offsets.
  virtual const std::byte* origin() const = 0;
};

class HeapBuffers final : public ByteBuffers {
 public:
  explicit HeapBuffers(std::uint32_t num_envs) : buffers_(num_envs) {}
  std::byte* Reserve(std::uint32_t env, std::size_t bytes) override {
    buffers_[env].resize(bytes);
    return buffers_[env].data();
  }
  const std::byte* origin() const override { return nullptr; }

 private:
  std::vector<std::vector<std::byte>> buffers_;
};

class TreeStaging final : public ActionSink {
 public:
  // `slots` has num_envs * layout.slot_bytes() bytes. `slots` and `buffers` outlive this object.
  TreeStaging(TreeSlotLayout layout, std::byte* slots, ByteBuffers& buffers)
      : layout_(std::move(layout)), slots_(slots), buffers_(buffers) {}

  // Throws Error{kInput} if there are not `n` rows.
  void Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) override;
  ActionSlots slots() const override { return {.base = slots_, .bytes = layout_.slot_bytes()}; }
  const TreeSlotLayout& layout() const { return layout_; }

 private:
  const TreeSlotLayout layout_;
  std::byte* const slots_;
  ByteBuffers& buffers_;
};

}  // namespace engine

#endif  // ENGINE_BATCH_TREE_STAGING_H_
