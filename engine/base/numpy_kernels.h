// NumPy's own loops, called by pointer. NumPy selects a loop for each function and processor when
// it is imported, and with AVX-512 many of them differ from the C library in the last bit. An
// environment whose reference calls such a function calls the same loop here, so that the results
// are equal by construction.
//
// The module of the bindings reads the pointers from NumPy when it is imported (engine/bindings/
// numpy_kernels.h), before any environment is made. Where there is no NumPy, as in C++ tests, the
// functions are those of the C library. The loops need no GIL and allocate nothing; any thread may
// call them.
#ifndef ENGINE_BASE_NUMPY_KERNELS_H_
#define ENGINE_BASE_NUMPY_KERNELS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

// A loop of a ufunc for one combination of dtypes: NumPy's PyUFuncGenericFunction and its data.
struct NumpyLoop {
  using Function = void (*)(char** arrays, const std::intptr_t* sizes, const std::intptr_t* strides,
                            void* data);

  Function function = nullptr;
  void* data = nullptr;
};

// The dot product of an array's dtype: NumPy's PyArray_DotFunc. The last argument is not used.
using NumpyDotFunction = void (*)(void* a, std::intptr_t a_stride, void* b, std::intptr_t b_stride,
                                  void* result, std::intptr_t size, void* unused);

struct NumpyKernels {
  // float64 -> float64
  NumpyLoop exp, log, log1p, cosh, tanh, arcsinh, arccos, arctan, sin, cos;
  // float32 -> float32
  NumpyLoop sin_float32, cos_float32;
  // float64, float64 -> float64
  NumpyLoop arctan2, logaddexp, power, matmul;
  NumpyDotFunction dot = nullptr;
};

// Whether the C library's float64 function gives the same results as NumPy's loop. If so, it is
// called instead of the loop, because two sines take most of the time of a step of classic control.
struct NumpyShortcuts {
  bool sin = true;
  bool cos = true;
};

// The name of the capsule from which modules get the pointers that `_core` has read. It holds a
// NumpyKernels.
inline constexpr const char* kNumpyKernelsCapsule = "envpool_py._core._numpy_kernels";

// The functions of the C library.
NumpyKernels LibraryKernels();

// Sets the loops of this module, and tests with samples which shortcuts hold for them. Called
// before the first environment is made.
void UseNumpyKernels(const NumpyKernels& kernels);

namespace numpy_internal {

// Written only by UseNumpyKernels.
extern NumpyKernels kernels;
extern NumpyShortcuts shortcuts;

inline void CallLoop(const NumpyLoop& loop, const void* in, void* out, std::intptr_t size,
                     std::intptr_t item_bytes) {
  char* arrays[] = {const_cast<char*>(static_cast<const char*>(in)), static_cast<char*>(out)};
  const std::intptr_t strides[] = {item_bytes, item_bytes};
  loop.function(arrays, &size, strides, loop.data);
}

template <class T>
T CallOne(const NumpyLoop& loop, T x) {
  T result;
  CallLoop(loop, &x, &result, 1, sizeof(T));
  return result;
}

inline double CallTwo(const NumpyLoop& loop, double x, double y) {
  double result;
  char* arrays[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&y),
                    reinterpret_cast<char*>(&result)};
  constexpr std::intptr_t kSize = 1;
  constexpr std::intptr_t kStrides[] = {sizeof(double), sizeof(double), sizeof(double)};
  loop.function(arrays, &kSize, kStrides, loop.data);
  return result;
}

}  // namespace numpy_internal

// np.exp(x) and so on, of float64. A scalar and an element of an array have the same result.
inline double NumpyExp(double x) { return numpy_internal::CallOne(numpy_internal::kernels.exp, x); }
inline double NumpyLog(double x) { return numpy_internal::CallOne(numpy_internal::kernels.log, x); }
inline double NumpyLog1p(double x) {
  return numpy_internal::CallOne(numpy_internal::kernels.log1p, x);
}
inline double NumpyCosh(double x) {
  return numpy_internal::CallOne(numpy_internal::kernels.cosh, x);
}
inline double NumpyTanh(double x) {
  return numpy_internal::CallOne(numpy_internal::kernels.tanh, x);
}
inline double NumpyArcsinh(double x) {
  return numpy_internal::CallOne(numpy_internal::kernels.arcsinh, x);
}
inline double NumpyArccos(double x) {
  return numpy_internal::CallOne(numpy_internal::kernels.arccos, x);
}
inline double NumpyArctan(double x) {
  return numpy_internal::CallOne(numpy_internal::kernels.arctan, x);
}
inline double NumpyArctan2(double y, double x) {
  return numpy_internal::CallTwo(numpy_internal::kernels.arctan2, y, x);
}
// np.logaddexp(x, y): log(exp(x) + exp(y)).
inline double NumpyLogAddExp(double x, double y) {
  return numpy_internal::CallTwo(numpy_internal::kernels.logaddexp, x, y);
}
inline double NumpySin(double x) {
  if (numpy_internal::shortcuts.sin) [[likely]]
    return std::sin(x);
  return numpy_internal::CallOne(numpy_internal::kernels.sin, x);
}
inline double NumpyCos(double x) {
  if (numpy_internal::shortcuts.cos) [[likely]]
    return std::cos(x);
  return numpy_internal::CallOne(numpy_internal::kernels.cos, x);
}
// np.sin and np.cos of float32, which NumPy computes by its own polynomial on most processors.
inline float NumpySin(float x) {
  return numpy_internal::CallOne(numpy_internal::kernels.sin_float32, x);
}
inline float NumpyCos(float x) {
  return numpy_internal::CallOne(numpy_internal::kernels.cos_float32, x);
}
struct SinCos {
  double sin, cos;
};
// np.sin and np.cos of the same angle. With one condition for both, compilers compute them by one
// call of the C library.
inline SinCos NumpySinCos(double x) {
  if (numpy_internal::shortcuts.sin && numpy_internal::shortcuts.cos) [[likely]]
    return {.sin = std::sin(x), .cos = std::cos(x)};
  return {.sin = numpy_internal::CallOne(numpy_internal::kernels.sin, x),
          .cos = numpy_internal::CallOne(numpy_internal::kernels.cos, x)};
}
// np.power of arrays. A NumPy scalar's ** is the C library's pow.
inline double NumpyPower(double x, double y) {
  return numpy_internal::CallTwo(numpy_internal::kernels.power, x, y);
}

// np.dot(a, b) of two contiguous arrays of the same size.
inline double NumpyDot(std::span<const double> a, std::span<const double> b) {
  double result = 0.0;
  numpy_internal::kernels.dot(const_cast<double*>(a.data()), sizeof(double),
                              const_cast<double*>(b.data()), sizeof(double), &result,
                              static_cast<std::intptr_t>(a.size()), nullptr);
  return result;
}

// a @ b of contiguous arrays: a is (rows, inner), b is (inner, columns) and `result` is (rows,
// columns). `result` overlaps neither a nor b.
void NumpyMatmul(const double* a, const double* b, double* result, std::size_t rows,
                 std::size_t inner, std::size_t columns);

}  // namespace engine

#endif  // ENGINE_BASE_NUMPY_KERNELS_H_
