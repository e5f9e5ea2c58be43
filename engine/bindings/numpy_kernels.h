// Reads the pointers of engine/base/numpy_kernels.h from the NumPy that is imported. Requires the
// GIL and NumPy's table of functions (numpy_api.h).
#ifndef ENGINE_BINDINGS_NUMPY_KERNELS_H_
#define ENGINE_BINDINGS_NUMPY_KERNELS_H_

#include <pybind11/pybind11.h>

namespace engine::bindings {

// Makes this module use NumPy's loops, and returns the capsule kNumpyKernelsCapsule, from which
// other modules read them. Each loop is called once. Where NumPy has no loop in the expected form,
// or the loop gives other results than NumPy does, the C library's function is used, and one
// RuntimeWarning names these functions.
pybind11::capsule UseNumpysOwnKernels();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_NUMPY_KERNELS_H_
