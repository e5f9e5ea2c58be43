#include "engine/env/action_row.h"

#include <string>

#include "engine/base/error.h"

namespace engine {

void ActionRow::ThrowNoLeaf(std::size_t leaf) const {
  throw Error(ErrorKind::kInternal,
              "action leaf " + std::to_string(leaf) + ": expected a number below " +
                  std::to_string(columns_.count) + ", the number of leaves of the action space");
}

void ActionRow::ThrowWrongType(std::size_t leaf, DType wanted) const {
  const DType actual = IsFloat64(leaf) ? DType::kFloat64 : columns_.leaves[leaf].dtype;
  throw Error(ErrorKind::kInternal, "action leaf " + std::to_string(leaf) +
                                        ": expected to be read as " + NameOf(actual) +
                                        ", its dtype, got " + NameOf(wanted));
}

void ActionRow::ThrowNotDiscrete(std::size_t leaf) const {
  if (leaf >= columns_.count) ThrowNoLeaf(leaf);
  throw Error(ErrorKind::kInternal, "action leaf " + std::to_string(leaf) +
                                        ": expected a discrete space for Index, got another");
}

}  // namespace engine
