// Python bindings of RandomState and of NumPy's kernels, for tests only. See numpy_module.cc.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_NUMPY_MODULE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_NUMPY_MODULE_H_

#include <pybind11/pybind11.h>

// Adds the class `RandomState` and the functions `kernel`, `kernel_of_two`, `dot` and `matmul` to
// the module. They use the loops that `_core` has loaded.
void BindNumpy(pybind11::module_& m);

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_NUMPY_MODULE_H_
