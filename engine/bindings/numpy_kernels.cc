#include "engine/bindings/numpy_kernels.h"

#include <initializer_list>

#include "engine/base/numpy_kernels.h"
#include "engine/bindings/numpy_api.h"
// Declares a table of functions that is not used here.
#define NO_IMPORT_UFUNC
#include <numpy/ufuncobject.h>

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Returns the loop of np.<name> for these dtypes of arguments and results, or `otherwise` if there
// is no such loop.
NumpyLoop LoopOf(const py::module_& numpy, const char* name, std::initializer_list<int> dtypes,
                 const NumpyLoop& otherwise) {
  const py::object found = py::getattr(numpy, name, py::none());
  const py::object type = numpy.attr("ufunc");
  if (!py::isinstance(found, type)) return otherwise;
  const auto* const ufunc = reinterpret_cast<const PyUFuncObject*>(found.ptr());
  if (ufunc->nargs != static_cast<int>(dtypes.size())) return otherwise;
  for (int i = 0; i < ufunc->ntypes; ++i) {
    const char* const types = ufunc->types + i * ufunc->nargs;
    bool equal = ufunc->functions[i] != nullptr;
    int argument = 0;
    for (const int dtype : dtypes) equal = equal && types[argument++] == dtype;
    if (equal) return {.function = ufunc->functions[i], .data = ufunc->data[i]};
  }
  return otherwise;
}

NumpyKernels Find() {
  const py::module_ numpy = py::module_::import("numpy");
  NumpyKernels found = LibraryKernels();
  const auto one = [&](const char* name, NumpyLoop& loop) {
    loop = LoopOf(numpy, name, {NPY_DOUBLE, NPY_DOUBLE}, loop);
  };
  const auto one_float32 = [&](const char* name, NumpyLoop& loop) {
    loop = LoopOf(numpy, name, {NPY_FLOAT, NPY_FLOAT}, loop);
  };
  const auto two = [&](const char* name, NumpyLoop& loop) {
    loop = LoopOf(numpy, name, {NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE}, loop);
  };
  one("exp", found.exp);
  one("log", found.log);
  one("log1p", found.log1p);
  one("cosh", found.cosh);
  one("tanh", found.tanh);
  one("arcsinh", found.arcsinh);
  one("arccos", found.arccos);
  one("arctan", found.arctan);
  one("sin", found.sin);
  one("cos", found.cos);
  one_float32("sin", found.sin_float32);
  one_float32("cos", found.cos_float32);
  two("arctan2", found.arctan2);
  two("logaddexp", found.logaddexp);
  two("power", found.power);
  two("matmul", found.matmul);
  PyArray_Descr* const float64 = PyArray_DescrFromType(NPY_DOUBLE);
  if (float64 == nullptr) throw py::error_already_set();
  if (PyArray_DotFunc* const dot = PyDataType_GetArrFuncs(float64)->dotfunc; dot != nullptr) {
    found.dot = dot;
  }
  Py_DECREF(float64);
  return found;
}

}  // namespace

py::capsule UseNumpysOwnKernels() {
  static NumpyKernels kernels;  // read by other modules, so never freed
  kernels = Find();
  UseNumpyKernels(kernels);
  return py::capsule(&kernels, kNumpyKernelsCapsule);
}

}  // namespace engine::bindings
