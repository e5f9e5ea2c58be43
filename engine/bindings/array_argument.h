// Reads arguments that are arrays. All functions need the GIL.
#ifndef ENGINE_BINDINGS_ARRAY_ARGUMENT_H_
#define ENGINE_BINDINGS_ARRAY_ARGUMENT_H_

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/batch/action_staging.h"
#include "engine/bindings/numpy_api.h"

namespace engine::bindings {

// Converts the current Python exception, of `value.__array__` or of NumPy, to an Error. Rethrows
// MemoryError and exceptions that do not derive from Exception.
[[noreturn]] void ThrowNoArray(pybind11::handle value, const char* name);

// An array-like argument held as a C-contiguous array in native byte order. Its shape is a copy:
// that of an array of the program is freed when the program sets another one.
class ArrayArgument {
 public:
  enum class Keep : std::uint8_t {
    kGiven,  // the program's own array, if it has the form that is needed
    kCopy,   // always a copy: for what is read more than once, and must be the same each time
  };
  // `name` is the argument's name in messages; the view points to it. An array with more than
  // `max_size` elements is not copied, and its data is null: callers reject it later because of its
  // shape. Float16 is converted to float32. Throws Error{kInputType} if `value` is not an array of
  // numbers; its cause is the exception that the conversion raised. MemoryError, and exceptions
  // such as KeyboardInterrupt that do not derive from Exception, are passed on.
  ArrayArgument(pybind11::handle value, const char* name, std::int64_t max_size,
                Keep keep = Keep::kGiven);
  ArrayArgument(ArrayArgument&& other) noexcept;
  ArrayArgument& operator=(ArrayArgument&&) = delete;
  const ArrayView& view() const { return view_; }

 private:
  void View(PyArrayObject* array, const char* name, std::optional<DType> dtype);

  static constexpr std::size_t kMostDims = NPY_MAXDIMS;

  pybind11::object array_;  // owns the memory of view_
  ArrayView view_;
  std::array<std::int64_t, kMostDims> shape_;  // of view_
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_ARRAY_ARGUMENT_H_
