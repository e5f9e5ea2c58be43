// The plug-in's side of a call for several environments (plugin_abi.h): a loop over the items that
// catches all exceptions, and the arguments as C++ types. Used by AbiClass; compiled into the
// plug-in.
#ifndef ENGINE_C_INTERFACE_ABI_ITEMS_H_
#define ENGINE_C_INTERFACE_ABI_ITEMS_H_

#include <cstddef>
#include <cstdint>

#include "engine/base/pcg64.h"
#include "engine/base/rng.h"
#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/plugin_abi.h"
#include "engine/env/action_slots.h"
#include "engine/env/step_range.h"

namespace engine {

// The plug-in reads the core's generators, columns and leaves as these C++ types.
static_assert(sizeof(Rng) == sizeof(envpool_rng) && sizeof(Pcg64State) == sizeof(envpool_rng));
static_assert(offsetof(Pcg64State, inc_low) == offsetof(envpool_rng, inc_low) &&
              offsetof(Pcg64State, uinteger) == offsetof(envpool_rng, uinteger));
static_assert(sizeof(Column) == sizeof(envpool_column) &&
              offsetof(Column, row_bytes) == offsetof(envpool_column, row_bytes));
static_assert(sizeof(ActionColumn) == sizeof(envpool_action_leaf) &&
              offsetof(ActionColumn, dtype) == offsetof(envpool_action_leaf, dtype) &&
              offsetof(ActionColumn, is_discrete) == offsetof(envpool_action_leaf, is_discrete) &&
              offsetof(ActionColumn, float64) == offsetof(envpool_action_leaf, float64) &&
              offsetof(ActionColumn, is_float64) == offsetof(envpool_action_leaf, is_float64));
static_assert(EndBits::kTerminated == ENVPOOL_TERMINATED &&
              EndBits::kTruncated == ENVPOOL_TRUNCATED &&
              EndBits::kGameContinues == ENVPOOL_GAME_CONTINUES &&
              EndBits::kReportAsTerminated == ENVPOOL_REPORT_TERMINATED &&
              EndBits::kZeroDiscount == ENVPOOL_ZERO_DISCOUNT);

// Calls body(). Returns 0, or -1 after it has reported an exception. No exception leaves the
// plug-in.
template <class Body>
int Guarded(const envpool_errors* errors, const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    ReportException(*errors, 0);
    return -1;
  }
}

// Runs body(k, env) for all items. If body throws, reports that item as failed and continues with
// the next one. The try block is outside the loop, because inside it would prevent inlining.
template <class EnvOf, class Body>
[[gnu::always_inline]] inline void LoopItems(std::uint32_t count, const envpool_errors& errors,
                                             const EnvOf& env_of, const Body& body) {
  std::uint32_t k = 0;
  while (k < count) {
    try {
      for (; k < count; ++k) body(k, env_of(k));
    } catch (...) {
      ReportException(errors, k++);
    }
  }
}
// Calls LoopItems. If ids is null, the loop reads no ids, because the time of the reads is
// measurable in light steps.
template <class Body>
[[gnu::always_inline]] inline void ForEachItem(const envpool_items& items,
                                               const envpool_errors* errors, const Body& body) {
  const std::uint32_t first = items.first;
  const std::uint32_t* const ids = items.ids;
  if (ids == nullptr) {
    LoopItems(items.count, *errors, [&](std::uint32_t k) { return first + k; }, body);
  } else {
    LoopItems(items.count, *errors, [&](std::uint32_t k) { return ids[k]; }, body);
  }
}

// `dtype`: of the action's elements, if the space has one leaf.
inline ActionSlots ActionsOf(const envpool_step& call, DType dtype) {
  return {.base = reinterpret_cast<const std::byte*>(call.actions),
          .bytes = call.action_bytes,
          .dtype = dtype,
          .float64_base = reinterpret_cast<const std::byte*>(call.float64_actions),
          .is_float64 = call.is_float64,
          .columns = {.leaves = reinterpret_cast<const ActionColumn*>(call.leaves),
                      .count = call.num_leaves}};
}

}  // namespace engine

#endif  // ENGINE_C_INTERFACE_ABI_ITEMS_H_
