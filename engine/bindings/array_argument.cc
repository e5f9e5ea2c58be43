#include "engine/bindings/array_argument.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/python_values.h"

namespace py = pybind11;

namespace engine::bindings {

void ThrowNoArray(py::handle value, const char* name) {
  py::error_already_set cause;
  if (!cause.matches(PyExc_Exception) || cause.matches(PyExc_MemoryError)) throw cause;
  const std::string message =
      std::string(name) + ": expected an array, got " + TypeName(value) + " " + Repr(value);
  ThrowFrom(Error(ErrorKind::kInputType, message), cause);
}

ArrayArgument::ArrayArgument(ArrayArgument&& other) noexcept
    : array_(std::move(other.array_)), view_(other.view_) {
  std::copy_n(other.shape_.begin(), view_.num_dims, shape_.begin());
  view_.shape = shape_.data();
}

ArrayArgument::ArrayArgument(py::handle value, const char* name, std::int64_t max_size, Keep keep) {
  constexpr int kNeeded = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_NOTSWAPPED;
  if (PyArray_Check(value.ptr())) {
    auto* const given = AsArray(value);
    const bool is_half = PyArray_TYPE(given) == NPY_HALF;
    if (PyArray_SIZE(given) > max_size) {
      View(given, name, is_half ? DType::kFloat32 : DTypeOfArray(given));
      view_.data = nullptr;
      array_ = py::reinterpret_borrow<py::object>(value);
      return;
    }
    if (keep == Keep::kGiven && !is_half && PyArray_CHKFLAGS(given, NPY_ARRAY_C_CONTIGUOUS) &&
        PyArray_ISNOTSWAPPED(given))
      array_ = py::reinterpret_borrow<py::object>(value);
  }
  if (!array_) {
    array_ = py::reinterpret_steal<py::object>(PyArray_CheckFromAny(
        value.ptr(), nullptr, 0, 0, keep == Keep::kCopy ? kNeeded | NPY_ARRAY_ENSURECOPY : kNeeded,
        nullptr));
    if (!array_) ThrowNoArray(value, name);
    if (PyArray_TYPE(AsArray(array_)) == NPY_HALF) {
      array_ = py::reinterpret_steal<py::object>(PyArray_FromAny(
          array_.ptr(), PyArray_DescrFromType(NPY_FLOAT32), 0, 0, kNeeded, nullptr));
      if (!array_) throw py::error_already_set();
    }
  }
  auto* const array = AsArray(array_);
  const std::optional<DType> dtype = DTypeOfArray(array);
  if (!dtype && py::isinstance<py::dict>(value) && value.contains("action")) {
    throw Error(ErrorKind::kInputType, std::string(name) + ": expected an array, got a dict",
                ErrorHint::kEnvPoolProgram);
  }
  View(array, name, dtype);
}

void ArrayArgument::View(PyArrayObject* array, const char* name, std::optional<DType> dtype) {
  if (!dtype) {
    throw Error(
        ErrorKind::kInputType,
        std::string(name) + ": expected an array of numbers, got dtype " + DTypeText(array));
  }
  const auto num_dims = static_cast<std::size_t>(PyArray_NDIM(array));
  std::copy_n(PyArray_DIMS(array), num_dims, shape_.begin());
  view_ = {.data = static_cast<const std::byte*>(PyArray_DATA(array)),
           .dtype = *dtype,
           .shape = shape_.data(),
           .num_dims = num_dims,
           .name = name};
}

}  // namespace engine::bindings
