// The view through which an environment reads an action of several leaves (a dict or a tuple).
// Valid only during the call that receives it; one thread at a time.
#ifndef ENGINE_ENV_ACTION_ROW_H_
#define ENGINE_ENV_ACTION_ROW_H_

#include <cstddef>
#include <cstdint>

#include "engine/env/dtype.h"
#include "engine/env/rows.h"

namespace engine {

// One leaf of the actions of all environments; row i belongs to environment i.
struct ActionColumn {
  Column values;  // of type `dtype`
  DType dtype = DType::kInt64;
  bool is_discrete = false;
  // Only with kKeepsFloat64: float64 actions. is_float64[env] is not 0 if the environment has one.
  Column float64;
  const std::uint8_t* is_float64 = nullptr;
};

// The columns of all leaves, in depth-first order of the action space.
struct ActionColumns {
  const ActionColumn* leaves = nullptr;
  std::size_t count = 0;
};

// This environment's action, already checked against the action space; leaves are in depth-first
// order of the space.
class ActionRow {
 public:
  ActionRow(ActionColumns columns, std::uint32_t env) : columns_(columns), env_(env) {}

  // First element of leaf `leaf`. T must be its dtype, or double if IsFloat64(leaf). Throws
  // Error{kInternal} if there is no such leaf or T is another type.
  template <class T>
  const T* Data(std::size_t leaf) const {
    const bool is_float64 = IsFloat64(leaf);
    const ActionColumn& column = columns_.leaves[leaf];
    if ((is_float64 ? DType::kFloat64 : column.dtype) != DTypeOf<T>()) [[unlikely]]
      ThrowWrongType(leaf, DTypeOf<T>());
    return reinterpret_cast<const T*>((is_float64 ? column.float64 : column.values).Row(env_));
  }
  // The action of a leaf that is a discrete space, in [start, start + n - 1]. Throws
  // Error{kInternal} if the leaf is another space.
  std::int64_t Index(std::size_t leaf) const {
    if (leaf >= columns_.count || !columns_.leaves[leaf].is_discrete) [[unlikely]]
      ThrowNotDiscrete(leaf);
    return *Data<std::int64_t>(leaf);
  }
  // Whether the leaf is a float32 box whose action is kept in float64, because the caller gave
  // float64 or integers. False unless the class sets kKeepsFloat64. Throws Error{kInternal} if
  // there is no such leaf.
  bool IsFloat64(std::size_t leaf) const {
    if (leaf >= columns_.count) [[unlikely]]
      ThrowNoLeaf(leaf);
    const ActionColumn& column = columns_.leaves[leaf];
    return column.is_float64 != nullptr && column.is_float64[env_] != 0;
  }

 private:
  [[noreturn]] void ThrowNoLeaf(std::size_t leaf) const;
  [[noreturn]] void ThrowWrongType(std::size_t leaf, DType wanted) const;
  [[noreturn]] void ThrowNotDiscrete(std::size_t leaf) const;

  ActionColumns columns_;
  std::uint32_t env_;
};

}  // namespace engine

#endif  // ENGINE_ENV_ACTION_ROW_H_
