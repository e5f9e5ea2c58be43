// Tests of the kernels for builds without NumPy, which call the C library.
// tests/envpool_py/test_numpy_kernels.py tests NumPy's kernels.
#include "engine/base/numpy_kernels.h"

#include <cmath>
#include <vector>

#include "tests/engine/harness.h"

namespace engine {
namespace numpy_kernels_test {

TEST(NumpyKernels, WithoutNumpyTheyAreTheLibrarys) {
  for (const double x : {0.1, 0.5, 0.9}) {
    EXPECT_EQ(NumpyExp(x), std::exp(x));
    EXPECT_EQ(NumpyLog(x), std::log(x));
    EXPECT_EQ(NumpyLog1p(x), std::log1p(x));
    EXPECT_EQ(NumpyCosh(x), std::cosh(x));
    EXPECT_EQ(NumpyTanh(x), std::tanh(x));
    EXPECT_EQ(NumpyArcsinh(x), std::asinh(x));
    EXPECT_EQ(NumpyArccos(x), std::acos(x));
    EXPECT_EQ(NumpyArctan(x), std::atan(x));
    EXPECT_EQ(NumpySin(x), std::sin(x));
    EXPECT_EQ(NumpyCos(x), std::cos(x));
    EXPECT_EQ(NumpyArctan2(x, 2.0), std::atan2(x, 2.0));
    EXPECT_EQ(NumpyPower(x, 3.5), std::pow(x, 3.5));
    EXPECT_EQ(NumpyLogAddExp(0.0, x), x + std::log1p(std::exp(-x)));
    EXPECT_EQ(NumpyLogAddExp(0.0, -x), std::log1p(std::exp(-x)));
    EXPECT_EQ(NumpyLogAddExp(x, x), x + std::log(2.0));
  }
}

TEST(NumpyKernels, ProductsWithoutNumpy) {
  const std::vector<double> a = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};  // (2, 3)
  const std::vector<double> b = {1.0, 0.0, 2.0, 1.0, 0.0, 3.0};  // (3, 2)
  std::vector<double> product(4);
  NumpyMatmul(a.data(), b.data(), product.data(), 2, 3, 2);
  EXPECT_EQ(product, (std::vector<double>{5.0, 11.0, 14.0, 23.0}));
  EXPECT_EQ(NumpyDot(a, b), 29.0);
}

double Doubled(double x) { return 2.0 * x; }

void DoubledLoop(char** arrays, const std::intptr_t* sizes, const std::intptr_t* strides, void*) {
  for (std::intptr_t i = 0; i < sizes[0]; ++i) {
    *reinterpret_cast<double*>(arrays[1] + i * strides[1]) =
        Doubled(*reinterpret_cast<const double*>(arrays[0] + i * strides[0]));
  }
}

TEST(NumpyKernels, AGivenLoopIsUsed) {
  NumpyKernels kernels = LibraryKernels();
  kernels.exp = {.function = &DoubledLoop};
  kernels.cos = {.function = &DoubledLoop};
  UseNumpyKernels(kernels);
  EXPECT_EQ(NumpyExp(21.0), 42.0);
  EXPECT_EQ(NumpyCos(21.0), 42.0);
  EXPECT_EQ(NumpySinCos(21.0).cos, 42.0);
  EXPECT_EQ(NumpySinCos(21.0).sin, std::sin(21.0));
  EXPECT_EQ(NumpySin(21.0), std::sin(21.0));
  UseNumpyKernels(LibraryKernels());
  EXPECT_EQ(NumpyExp(0.0), 1.0);
  EXPECT_EQ(NumpyCos(0.0), 1.0);
}

}  // namespace numpy_kernels_test
}  // namespace engine
