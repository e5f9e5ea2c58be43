// Actions of several leaves for environments in C++: finds the array of each leaf in the nested
// action that Python gives. All functions need the GIL.
#ifndef ENGINE_BINDINGS_ACTION_ARGUMENTS_H_
#define ENGINE_BINDINGS_ACTION_ARGUMENTS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <vector>

#include "engine/batch/row_staging.h"
#include "engine/bindings/array_argument.h"
#include "engine/bindings/space_node.h"
#include "engine/env/spec.h"

namespace engine::bindings {

// The action space of a pool. Made once per pool.
class ActionForm {
 public:
  ActionForm(const SpaceSpec& space, std::int64_t num_envs);

 private:
  friend class ActionArguments;

  SpaceNode root_;
  std::vector<std::int64_t> most_;  // elements of each leaf, for all environments
};

// The actions of one call.
class ActionArguments {
 public:
  // Throws Error{kInputType} if a part is missing or not an array of numbers.
  ActionArguments(const ActionForm& form, pybind11::handle actions);
  ActionArguments(const ActionArguments&) = delete;
  ActionArguments& operator=(const ActionArguments&) = delete;

  ArrayView view() const { return {.tree = &views_}; }

 private:
  std::vector<ArrayArgument> arguments_;  // own the memory of views_
  ActionLeaves views_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_ACTION_ARGUMENTS_H_
