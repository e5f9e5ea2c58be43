// Reads the pointers of engine/base/numpy_kernels.h from the NumPy that is imported. Requires the
// GIL and NumPy's table of functions (numpy_api.h).
#ifndef ENGINE_BINDINGS_NUMPY_KERNELS_H_
#define ENGINE_BINDINGS_NUMPY_KERNELS_H_

#include <pybind11/pybind11.h>

namespace engine::bindings {

// Uses NumPy's loops in this module, and returns the capsule kNumpyKernelsCapsule, from which other
// modules take them. A function that NumPy does not have in the expected form stays the C
// library's.
pybind11::capsule UseNumpysOwnKernels();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_NUMPY_KERNELS_H_
