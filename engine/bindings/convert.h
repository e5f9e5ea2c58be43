// Converts between Python values and the engine's plain data: options, seeds, masks, arrays, specs.
// All functions need the GIL.
#ifndef ENGINE_BINDINGS_CONVERT_H_
#define ENGINE_BINDINGS_CONVERT_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

#include "engine/batch/action_staging.h"
#include "engine/bindings/numpy_api.h"
#include "engine/env/params.h"
#include "engine/env/registry.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

// An array-like argument held as a C-contiguous array in native byte order.
class ArrayArgument {
 public:
  // `name` is the argument's name in messages; the view points to it. An array with more than
  // `most` elements is refused later because of its shape, so it is not copied, and its data is
  // null. Float16 is converted to float32. Throws Error{kInputType} if `value` is not an array of
  // numbers; its cause is the exception that the conversion raised. MemoryError, and exceptions
  // such as KeyboardInterrupt that do not derive from Exception, are passed on.
  ArrayArgument(pybind11::handle value, const char* name, std::int64_t most);
  const ArrayView& view() const { return view_; }

 private:
  void View(PyArrayObject* array, const char* name, std::optional<DType> dtype);

  pybind11::object array_;  // keeps the memory
  ArrayView view_;
};

// Throws Error{kOption} or Error{kOptionType}; see ParamValues.
ParamValues ReadOptions(const ParamSchema& schema, const pybind11::dict& options,
                        const std::string& what, const std::string& task_id);

// seed=: None, one integer (environment i gets seed + i), or a sequence with an integer or None for
// each of `n` items. `num_envs` limits a single integer: all seeds must fit in 64 bits.
void ReadSeeds(pybind11::handle seed, std::int64_t n, std::uint32_t num_envs,
               ResetRequest& request);

// options["reset_mask"]: a bool array of shape (num_envs,) with at least one True.
void ReadMask(pybind11::handle mask, std::uint32_t num_envs, ResetRequest& request);

// The name of its type, for messages.
std::string TypeName(pybind11::handle value);

// A new array with uninitialized elements.
pybind11::object NewArray(DType dtype, const Shape& shape);

pybind11::dict DescribeTask(const TaskEntry& entry, const EnvSpec& spec);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_CONVERT_H_
