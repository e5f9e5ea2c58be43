// NumPy's C API, included the same way by every file of the extension: the
// table of functions lives in module.cc.
#ifndef ENGINE_BINDINGS_NUMPY_API_H_
#define ENGINE_BINDINGS_NUMPY_API_H_

#include <pybind11/pybind11.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL envpool_py_numpy_api
#ifndef ENGINE_BINDINGS_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <optional>

#include "engine/env/dtype.h"

namespace engine::bindings {

int NumpyTypeOf(DType dtype);
// The engine's type of an array's elements, if there is one.
std::optional<DType> DTypeOfArray(PyArrayObject* array);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_NUMPY_API_H_
