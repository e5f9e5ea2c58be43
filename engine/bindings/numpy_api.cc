#include "engine/bindings/numpy_api.h"

#include <iterator>
#include <vector>

namespace py = pybind11;

namespace engine::bindings {

py::object NewArray(DType dtype, const Shape& shape) {
  std::vector<npy_intp> dims(shape.begin(), shape.end());
  py::object array = py::reinterpret_steal<py::object>(
      PyArray_SimpleNew(static_cast<int>(dims.size()), dims.data(), NumpyTypeOf(dtype)));
  if (!array) throw py::error_already_set();
  return array;
}

std::string DTypeText(PyArrayObject* array) {
  return py::str(py::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(array))));
}

std::optional<DType> DTypeOfArray(PyArrayObject* array) {
  // By NumPy's number of the C type.
  constexpr bool kLongIs64 = sizeof(long) == 8;
  constexpr DType kDTypes[] = {DType::kBool,
                               DType::kInt8,
                               DType::kUInt8,
                               DType::kInt16,
                               DType::kUInt16,
                               DType::kInt32,
                               DType::kUInt32,
                               kLongIs64 ? DType::kInt64 : DType::kInt32,
                               kLongIs64 ? DType::kUInt64 : DType::kUInt32,
                               DType::kInt64,
                               DType::kUInt64,
                               DType::kFloat32,
                               DType::kFloat64};
  static_assert(std::size(kDTypes) == NPY_DOUBLE + 1 && NPY_LONG == 7 && NPY_ULONGLONG == 10);
  const int type = PyArray_TYPE(array);
  if (type < 0 || type > NPY_DOUBLE) return std::nullopt;
  return kDTypes[type];
}

}  // namespace engine::bindings
