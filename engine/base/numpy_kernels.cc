// See the header.
#include "engine/base/numpy_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace engine {
namespace {

// The loops of ufuncs, with functions of the C library.
template <class T, T (*kFunction)(T)>
void LoopOfOne(char** arrays, const std::intptr_t* sizes, const std::intptr_t* strides, void*) {
  for (std::intptr_t i = 0; i < sizes[0]; ++i) {
    const T x = *reinterpret_cast<const T*>(arrays[0] + i * strides[0]);
    *reinterpret_cast<T*>(arrays[1] + i * strides[1]) = kFunction(x);
  }
}

template <double (*kFunction)(double, double)>
void LoopOfTwo(char** arrays, const std::intptr_t* sizes, const std::intptr_t* strides, void*) {
  for (std::intptr_t i = 0; i < sizes[0]; ++i) {
    const double x = *reinterpret_cast<const double*>(arrays[0] + i * strides[0]);
    const double y = *reinterpret_cast<const double*>(arrays[1] + i * strides[1]);
    *reinterpret_cast<double*>(arrays[2] + i * strides[2]) = kFunction(x, y);
  }
}

double At(const char* matrix, std::intptr_t offset) {
  return *reinterpret_cast<const double*>(matrix + offset);
}

// `sizes`: number of matrices, rows, inner size, columns. `strides`, in bytes: between the matrices
// of a, of b and of the result; then between the rows and columns of a, of b and of the result.
void PlainMatmul(char** arrays, const std::intptr_t* sizes, const std::intptr_t* strides, void*) {
  for (std::intptr_t matrix = 0; matrix < sizes[0]; ++matrix) {
    const char* const a = arrays[0] + matrix * strides[0];
    const char* const b = arrays[1] + matrix * strides[1];
    char* const result = arrays[2] + matrix * strides[2];
    for (std::intptr_t row = 0; row < sizes[1]; ++row) {
      for (std::intptr_t column = 0; column < sizes[3]; ++column) {
        double sum = 0.0;
        for (std::intptr_t k = 0; k < sizes[2]; ++k) {
          sum += At(a, row * strides[3] + k * strides[4]) *
                 At(b, k * strides[5] + column * strides[6]);
        }
        *reinterpret_cast<double*>(result + row * strides[7] + column * strides[8]) = sum;
      }
    }
  }
}

double PlainLogAddExp(double x, double y) {
  if (x == y) return x + std::numbers::ln2;  // also for equal infinities
  return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y)));
}

void PlainDot(void* a, std::intptr_t a_stride, void* b, std::intptr_t b_stride, void* result,
              std::intptr_t size, void*) {
  double sum = 0.0;
  for (std::intptr_t i = 0; i < size; ++i) {
    sum += At(static_cast<const char*>(a), i * a_stride) *
           At(static_cast<const char*>(b), i * b_stride);
  }
  *static_cast<double*>(result) = sum;
}

template <double (*kFunction)(double)>
constexpr NumpyLoop kFloat64{.function = &LoopOfOne<double, kFunction>};
template <float (*kFunction)(float)>
constexpr NumpyLoop kFloat32{.function = &LoopOfOne<float, kFunction>};
template <double (*kFunction)(double, double)>
constexpr NumpyLoop kFloat64s{.function = &LoopOfTwo<kFunction>};

constexpr NumpyKernels kLibrary{.exp = kFloat64<&std::exp>,
                                .log = kFloat64<&std::log>,
                                .log1p = kFloat64<&std::log1p>,
                                .cosh = kFloat64<&std::cosh>,
                                .tanh = kFloat64<&std::tanh>,
                                .arcsinh = kFloat64<&std::asinh>,
                                .arccos = kFloat64<&std::acos>,
                                .arctan = kFloat64<&std::atan>,
                                .sin = kFloat64<&std::sin>,
                                .cos = kFloat64<&std::cos>,
                                .sin_float32 = kFloat32<&std::sin>,
                                .cos_float32 = kFloat32<&std::cos>,
                                .arctan2 = kFloat64s<&std::atan2>,
                                .logaddexp = kFloat64s<&PlainLogAddExp>,
                                .power = kFloat64s<&std::pow>,
                                .matmul = {.function = &PlainMatmul},
                                .dot = &PlainDot};

// Whether a function of the C library gives the same bits as a loop, for 1,000 values. If NumPy has
// its own routine, at least one of a hundred values differs, so 1,000 are enough.
template <class Function>
bool AreEqual(const NumpyLoop& loop, const Function& function) {
  constexpr int kSamples = 1000;
  constexpr double kScale = 30.0;
  for (int i = 0; i < kSamples; ++i) {
    // Multiples of an irrational number modulo 1.
    const double fraction = std::fmod(0.6180339887498949 * (i + 1), 1.0);
    const double x = kScale * (2.0 * fraction - 1.0);
    const double expected = numpy_internal::CallOne(loop, x);
    if (std::bit_cast<std::uint64_t>(function(x)) != std::bit_cast<std::uint64_t>(expected)) {
      return false;
    }
  }
  return true;
}

NumpyShortcuts FindShortcuts(const NumpyKernels& kernels) {
  return {.sin = AreEqual(kernels.sin, [](double x) { return std::sin(x); }),
          .cos = AreEqual(kernels.cos, [](double x) { return std::cos(x); })};
}

}  // namespace

namespace numpy_internal {

NumpyKernels kernels = kLibrary;
NumpyShortcuts shortcuts;

}  // namespace numpy_internal

NumpyKernels LibraryKernels() { return kLibrary; }

void UseNumpyKernels(const NumpyKernels& kernels) {
  numpy_internal::kernels = kernels;
  numpy_internal::shortcuts = FindShortcuts(kernels);
}

void NumpyMatmul(const double* a, const double* b, double* result, std::size_t rows,
                 std::size_t inner, std::size_t columns) {
  char* arrays[] = {reinterpret_cast<char*>(const_cast<double*>(a)),
                    reinterpret_cast<char*>(const_cast<double*>(b)),
                    reinterpret_cast<char*>(result)};
  const auto signed_rows = static_cast<std::intptr_t>(rows);
  const auto signed_inner = static_cast<std::intptr_t>(inner);
  const auto signed_columns = static_cast<std::intptr_t>(columns);
  constexpr std::intptr_t kItem = sizeof(double);
  const std::intptr_t sizes[] = {1, signed_rows, signed_inner, signed_columns};
  const std::intptr_t strides[] = {0,
                                   0,
                                   0,  // there is one matrix
                                   signed_inner * kItem,
                                   kItem,  // of a
                                   signed_columns * kItem,
                                   kItem,  // of b
                                   signed_columns * kItem,
                                   kItem};
  numpy_internal::kernels.matmul.function(arrays, sizes, strides,
                                          numpy_internal::kernels.matmul.data);
}

}  // namespace engine
