// Known results of NumPy's scalar arithmetic. tests/parity/test_classic_control.py compares whole
// trajectories.
#include "engine/base/numpy_math.h"

#include <cmath>

#include "engine/base/rng.h"
#include "tests/engine/harness.h"

namespace engine {
namespace numpy_math_test {

// The volatile pointer keeps the compiler from replacing the call of std::pow.
TEST(NumpyMath, SquaresAreTheLibrarysPow) {
  double (*volatile pow64)(double, double) = [](double x, double y) { return std::pow(x, y); };
  float (*volatile pow32)(float, float) = [](float x, float y) { return std::pow(x, y); };
  Rng rng(1);
  for (int i = 0; i < 100'000; ++i) {
    const double x = rng.Uniform(-30.0, 30.0);
    EXPECT_EQ(PowSquare(x), pow64(x, 2.0)) << x;
    const auto narrow = static_cast<float>(x);
    EXPECT_EQ(PowSquare(narrow), pow32(narrow, 2.0f)) << narrow;
  }
}

TEST(NumpyMath, FloorModHasTheSignOfTheDivisor) {
  EXPECT_EQ(FloorMod(5.5, 2.0), 1.5);
  EXPECT_EQ(FloorMod(-5.5, 2.0), 0.5);
  EXPECT_EQ(FloorMod(5.5, -2.0), -0.5);
  EXPECT_EQ(FloorMod(-5.5, -2.0), -1.5);
  EXPECT_EQ(FloorMod(-1e-20, 2.0), 2.0);  // rounds up to the divisor itself
  EXPECT_EQ(FloorMod(-4.0, 2.0), 0.0);
  EXPECT_FALSE(std::signbit(FloorMod(-4.0, 2.0)));
  EXPECT_TRUE(std::signbit(FloorMod(4.0, -2.0)));
  EXPECT_TRUE(std::isnan(FloorMod(1.0, 0.0)));
}

}  // namespace numpy_math_test
}  // namespace engine
