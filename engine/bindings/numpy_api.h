// Includes NumPy's C API. The table of its functions is defined in import_numpy.cc.
#ifndef ENGINE_BINDINGS_NUMPY_API_H_
#define ENGINE_BINDINGS_NUMPY_API_H_

#include <pybind11/pybind11.h>

#define NO_IMPORT_ARRAY
#define PY_ARRAY_UNIQUE_SYMBOL envpool_numpy_functions
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <cstddef>
#include <optional>
#include <string>

#include "engine/env/dtype.h"
#include "engine/env/spec.h"

namespace engine::bindings {

// Fills the table. On failure returns false, with a Python exception set.
bool ImportNumpy();

// Inline, because it runs for every array of every batch.
inline int NumpyTypeOf(DType dtype) {
  constexpr int kTypes[] = {NPY_BOOL,   NPY_INT8,   NPY_INT16,  NPY_INT32,   NPY_INT64,  NPY_UINT8,
                            NPY_UINT16, NPY_UINT32, NPY_UINT64, NPY_FLOAT32, NPY_FLOAT64};
  return kTypes[static_cast<std::size_t>(dtype)];
}
// The engine's type for the elements of an array, if there is one.
std::optional<DType> DTypeOfArray(PyArrayObject* array);

inline PyArrayObject* AsArray(pybind11::handle array) {
  return reinterpret_cast<PyArrayObject*>(array.ptr());
}
template <class T>
T* DataOf(pybind11::handle array) {
  return static_cast<T*>(PyArray_DATA(AsArray(array)));
}
// The name of the array's dtype, for messages.
std::string DTypeText(PyArrayObject* array);

// A new array with uninitialized elements.
pybind11::object NewArray(DType dtype, const Shape& shape);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_NUMPY_API_H_
