#include "engine/bindings/numpy_api.h"

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
  const int type = PyArray_TYPE(array);
  const npy_intp size = PyArray_ITEMSIZE(array);
  const auto sized = [size](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
    switch (size) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        return std::nullopt;
    }
  };
  if (type == NPY_BOOL) return DType::kBool;
  if (PyTypeNum_ISSIGNED(type) && PyTypeNum_ISINTEGER(type)) {
    return sized(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
  }
  if (PyTypeNum_ISUNSIGNED(type)) {
    return sized(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
  }
  if (type == NPY_FLOAT32) return DType::kFloat32;
  if (type == NPY_FLOAT64) return DType::kFloat64;
  return std::nullopt;
}

}  // namespace engine::bindings
