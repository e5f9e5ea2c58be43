// The only file in which NumPy's header defines its function table and the code that fills it (see
// numpy_api.h). Compiled as a separate translation unit.
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL envpool_numpy_functions
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

namespace engine::bindings {

bool ImportNumpy() { return PyArray_ImportNumPyAPI() == 0; }

}  // namespace engine::bindings
