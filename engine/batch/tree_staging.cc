#include "engine/batch/tree_staging.h"

#include <cstring>
#include <string>
#include <utility>

#include "engine/base/cache_line.h"
#include "engine/base/error.h"

namespace engine {
namespace {

// The alignment of every column, enough for any type of element.
constexpr std::size_t kColumnAlignment = 16;

constexpr std::size_t RoundUp(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

}  // namespace

TreeSlotLayout::TreeSlotLayout(std::vector<std::size_t> max_bytes)
    : max_bytes_(std::move(max_bytes)) {
  object_offset_ = RoundUp(max_bytes_.size() * sizeof(std::uint32_t), alignof(Object));
  std::size_t end = object_offset_ + sizeof(Object);
  for (const std::size_t bytes : max_bytes_) {
    offsets_.push_back(RoundUp(end, kColumnAlignment));
    end = offsets_.back() + bytes;
  }
  // Different processes access neighbouring slots, so slots do not share cache lines.
  slot_bytes_ = RoundUpToCacheLine(end);
}

void TreeStaging::Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) {
  const auto& tree = *static_cast<const ActionTree*>(actions.tree);
  if (tree.rows != n) {
    throw Error(ErrorKind::kInput, "actions: expected one row for each of " + std::to_string(n) +
                                       " environments, got " + std::to_string(tree.rows));
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    std::byte* const slot = slots_ + env * layout_.slot_bytes();
    std::uint32_t* const types = layout_.Types(slot);
    for (std::size_t i = 0; i < tree.columns.size(); ++i) {
      const ActionTree::Column& column = tree.columns[i];
      types[i] = column.type;
      std::memcpy(layout_.Column(slot, i), column.data + k * column.row_bytes, column.row_bytes);
    }
    if (tree.objects.empty()) continue;
    const std::string_view object = tree.objects[k];
    std::byte* const room = buffers_.Reserve(env, object.size());
    std::memcpy(room, object.data(), object.size());
    const auto from = reinterpret_cast<std::uintptr_t>(buffers_.origin());
    *layout_.ObjectOf(slot) = {.offset = reinterpret_cast<std::uintptr_t>(room) - from,
                               .bytes = object.size()};
  }
}

}  // namespace engine
