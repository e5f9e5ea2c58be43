// A copy of the actions of single environments, for a thread that may still read an action when the
// next one is staged. Used by one thread.
#ifndef ENGINE_BATCH_ACTION_COPY_H_
#define ENGINE_BATCH_ACTION_COPY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/env/action_slots.h"

namespace engine {

class ActionCopy {
 public:
  // `slots`: of `num_envs` environments. Memory is used only for actions that are copied, because
  // the rest of the pages is never touched.
  void Allocate(const ActionSlots& slots, std::uint32_t num_envs) {
    slots_ = slots;
    Copy(slots.base, slots.bytes, num_envs, slots_.base);
    if (slots.is_float64 != nullptr) {
      Copy(slots.float64_base, 2 * slots.bytes, num_envs, slots_.float64_base);
      CopyFlags(slots.is_float64, num_envs, slots_.is_float64);
    }
    columns_.assign(slots.columns.leaves, slots.columns.leaves + slots.columns.count);
    for (ActionColumn& column : columns_) {
      Copy(column.values, num_envs);
      if (column.is_float64 == nullptr) continue;
      Copy(column.float64, num_envs);
      CopyFlags(column.is_float64, num_envs, column.is_float64);
    }
    slots_.columns.leaves = columns_.data();
  }
  // Copies the action of an environment.
  void Take(std::uint32_t env) {
    for (const Part& part : parts_) {
      const std::size_t at = env * part.bytes;
      std::copy_n(part.from + at, part.bytes, part.to.get() + at);
    }
  }
  // Only the actions that were copied may be read.
  const ActionSlots& slots() const { return slots_; }

 private:
  struct Part {
    const std::byte* from;
    std::size_t bytes;  // per environment
    std::unique_ptr<std::byte[]> to;
  };

  std::byte* Add(const std::byte* from, std::size_t bytes, std::uint32_t num_envs) {
    parts_.push_back({.from = from,
                      .bytes = bytes,
                      .to = std::make_unique_for_overwrite<std::byte[]>(bytes * num_envs)});
    return parts_.back().to.get();
  }
  void Copy(const std::byte* from, std::size_t bytes, std::uint32_t num_envs,
            const std::byte*& to) {
    if (from != nullptr) to = Add(from, bytes, num_envs);
  }
  void Copy(Column& column, std::uint32_t num_envs) {
    if (column.base != nullptr) column.base = Add(column.base, column.row_bytes, num_envs);
  }
  void CopyFlags(const std::uint8_t* from, std::uint32_t num_envs, const std::uint8_t*& to) {
    to = reinterpret_cast<const std::uint8_t*>(
        Add(reinterpret_cast<const std::byte*>(from), 1, num_envs));
  }

  ActionSlots slots_;
  std::vector<ActionColumn> columns_;
  std::vector<Part> parts_;
};

}  // namespace engine

#endif  // ENGINE_BATCH_ACTION_COPY_H_
