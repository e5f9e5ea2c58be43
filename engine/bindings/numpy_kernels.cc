#include "engine/bindings/numpy_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/bindings/numpy_api.h"
// Declares a table of functions that is not used here.
#define NO_IMPORT_UFUNC
#include <numpy/ufuncobject.h>

namespace py = pybind11;

namespace engine::bindings {
namespace {

// The number of loops of a ufunc is far below.
constexpr int kMostLoops = 1000;

// Returns the loop of np.<name> for these dtypes of arguments and results, the first in its table,
// as NumPy does; one without a function if there is no such loop.
NumpyLoop LoopOf(const py::module_& numpy, const char* name, std::initializer_list<int> dtypes) {
  const py::object found = py::getattr(numpy, name, py::none());
  const py::object type = numpy.attr("ufunc");
  if (!py::isinstance(found, type)) return {};
  const auto* const ufunc = reinterpret_cast<const PyUFuncObject*>(found.ptr());
  if (ufunc->nargs != static_cast<int>(dtypes.size()) || ufunc->nout != 1 ||
      ufunc->nin + ufunc->nout != ufunc->nargs || ufunc->ntypes > kMostLoops) {
    return {};
  }
  for (int i = 0; i < ufunc->ntypes; ++i) {
    const char* const types = ufunc->types + i * ufunc->nargs;
    bool equal = true;
    int argument = 0;
    for (const int dtype : dtypes) equal = equal && types[argument++] == dtype;
    if (equal) return {.function = ufunc->functions[i], .data = ufunc->data[i]};
  }
  return {};
}

// Arguments in the domain of every function that is used here.
constexpr std::size_t kSamples = 16;
// Aligned as NumPy's own arrays or better: the results of some libraries for linear algebra depend
// on it.
template <class T>
struct alignas(64) Samples : std::array<T, kSamples> {};
template <class T>
Samples<T> SamplesFrom(double first) {
  Samples<T> samples;
  for (std::size_t i = 0; i < kSamples; ++i)
    samples[i] = static_cast<T>(first + 0.055 * static_cast<double>(i));
  return samples;
}

template <class T>
py::object ArrayOf(const T* data, const Shape& shape) {
  constexpr DType kDType = sizeof(T) == sizeof(float) ? DType::kFloat32 : DType::kFloat64;
  py::object array = NewArray(kDType, shape);
  std::memcpy(DataOf<T>(array), data, static_cast<std::size_t>(NumElements(shape)) * sizeof(T));
  return array;
}

// Whether the results of a loop are those of `made`, the array that NumPy has made of the same
// arguments, to the bit; and about those of the C library.
template <class T, std::size_t kSize>
bool AreRight(const std::array<T, kSize>& results, const py::object& made,
              const std::array<T, kSize>& librarys) {
  constexpr double kNear = sizeof(T) == sizeof(float) ? 1e-5 : 1e-12;
  if (!PyArray_Check(made.ptr()) || PyArray_SIZE(AsArray(made)) != kSize ||
      PyArray_TYPE(AsArray(made)) != (sizeof(T) == sizeof(float) ? NPY_FLOAT : NPY_DOUBLE) ||
      !PyArray_ISCARRAY_RO(AsArray(made)) ||
      std::memcmp(results.data(), DataOf<T>(made), sizeof results) != 0) {
    return false;
  }
  return std::ranges::equal(results, librarys, [](T result, T expected) {
    return std::abs(result - expected) <= kNear * std::abs(expected);
  });
}

// Finds the loops, and calls each: a loop that is not where it is expected, or that gives other
// results than NumPy, is not used.
class Finder {
 public:
  NumpyKernels kernels = LibraryKernels();
  std::vector<std::string> missing;  // the functions whose loops are not used

  template <class T>
  void One(const char* name, NumpyLoop& loop) {
    const int dtype = sizeof(T) == sizeof(float) ? NPY_FLOAT : NPY_DOUBLE;
    const NumpyLoop found = LoopOf(numpy_, name, {dtype, dtype});
    const Samples<T> x = SamplesFrom<T>(0.05);
    const auto call = [&](const NumpyLoop& called) {
      Samples<T> results{};
      numpy_internal::CallLoop(called, x.data(), results.data(), kSamples, sizeof(T));
      return results;
    };
    const auto is_right = [&] {
      const py::object made = numpy_.attr(name)(ArrayOf(x.data(), {kSamples}));
      return AreRight(call(found), made, call(loop));
    };
    Take(found.function != nullptr && is_right(), name, found, loop);
  }

  void Two(const char* name, NumpyLoop& loop) {
    const NumpyLoop found = LoopOf(numpy_, name, {NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE});
    Samples<double> x = SamplesFrom<double>(0.05);
    Samples<double> y = SamplesFrom<double>(0.12);
    const auto call = [&](const NumpyLoop& called) {
      Samples<double> results{};
      char* arrays[] = {reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data()),
                        reinterpret_cast<char*>(results.data())};
      constexpr std::intptr_t kSize = kSamples;
      constexpr std::intptr_t kStrides[] = {sizeof(double), sizeof(double), sizeof(double)};
      called.function(arrays, &kSize, kStrides, called.data);
      return results;
    };
    const auto is_right = [&] {
      const py::object made =
          numpy_.attr(name)(ArrayOf(x.data(), {kSamples}), ArrayOf(y.data(), {kSamples}));
      return AreRight(call(found), made, call(loop));
    };
    Take(found.function != nullptr && is_right(), name, found, loop);
  }

  void Matmul() {
    const NumpyLoop found = LoopOf(numpy_, "matmul", {NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE});
    constexpr std::size_t kRows = 4;
    const Samples<double> a = SamplesFrom<double>(0.05);
    const Samples<double> b = SamplesFrom<double>(0.12);
    const auto call = [&](const NumpyLoop& called) {
      NumpyKernels used = kernels;
      used.matmul = called;
      UseNumpyKernels(used);
      Samples<double> results{};
      NumpyMatmul(a.data(), b.data(), results.data(), kRows, kRows, kRows);
      return results;
    };
    const auto is_right = [&] {
      const py::object made = numpy_.attr("matmul")(ArrayOf(a.data(), {kRows, kRows}),
                                                    ArrayOf(b.data(), {kRows, kRows}));
      return AreRight(call(found), made, call(kernels.matmul));
    };
    Take(found.function != nullptr && is_right(), "matmul", found, kernels.matmul);
  }

  void Dot() {
    PyArray_Descr* const float64 = PyArray_DescrFromType(NPY_DOUBLE);
    if (float64 == nullptr) throw py::error_already_set();
    PyArray_DotFunc* const found = PyDataType_GetArrFuncs(float64)->dotfunc;
    Py_DECREF(float64);
    Samples<double> a = SamplesFrom<double>(0.05);
    Samples<double> b = SamplesFrom<double>(0.12);
    const auto call = [&](NumpyDotFunction called) {
      std::array<double, 1> result{};
      called(a.data(), sizeof(double), b.data(), sizeof(double), result.data(), kSamples, nullptr);
      return result;
    };
    const auto is_right = [&] {
      const py::object made =
          numpy_.attr("dot")(ArrayOf(a.data(), {kSamples}), ArrayOf(b.data(), {kSamples}));
      return AreRight(call(found), numpy_.attr("asarray")(made), call(kernels.dot));
    };
    Take(found != nullptr && is_right(), "dot", NumpyDotFunction{found}, kernels.dot);
  }

 private:
  template <class Function>
  void Take(bool is_right, const char* name, const Function& found, Function& function) {
    if (is_right) {
      function = found;
    } else if (std::ranges::find(missing, name) == missing.end()) {
      missing.emplace_back(name);
    }
  }

  const py::module_ numpy_ = py::module_::import("numpy");
};

NumpyKernels Find() {
  Finder finder;
  NumpyKernels& found = finder.kernels;
  finder.One<double>("exp", found.exp);
  finder.One<double>("log", found.log);
  finder.One<double>("log1p", found.log1p);
  finder.One<double>("cosh", found.cosh);
  finder.One<double>("tanh", found.tanh);
  finder.One<double>("arcsinh", found.arcsinh);
  finder.One<double>("arccos", found.arccos);
  finder.One<double>("arctan", found.arctan);
  finder.One<double>("sin", found.sin);
  finder.One<double>("cos", found.cos);
  finder.One<float>("sin", found.sin_float32);
  finder.One<float>("cos", found.cos_float32);
  finder.Two("arctan2", found.arctan2);
  finder.Two("logaddexp", found.logaddexp);
  finder.Two("power", found.power);
  finder.Matmul();
  finder.Dot();
  if (!finder.missing.empty()) {
    std::string names;
    for (const std::string& name : finder.missing) names += (names.empty() ? "" : ", ") + name;
    const std::string version =
        py::cast<std::string>(py::module_::import("numpy").attr("__version__"));
    const std::string text =
        "NumPy " + version + " does not have the loops of these functions where envpool_py " +
        "expects them: " + names + ". The C library's functions take their place, and numbers of " +
        "environments may differ in the last bits from those of their references";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }
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
