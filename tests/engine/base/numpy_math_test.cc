// Known results of NumPy's scalar arithmetic. The comparison along whole
// trajectories is tests/parity/test_classic_control.py.
#include "engine/base/numpy_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/rng.h"
#include "tests/engine/harness.h"

namespace engine {
namespace {

struct Sample {
  std::uint32_t x;
  std::uint32_t sin;
  std::uint32_t cos;
};

// By NumPy 2.4 on a processor with AVX2 and FMA. The fourth group lies on the
// border of two quadrants, where one rounding more picks the other polynomial.
constexpr Sample kSamples[] = {
    {0x00000000, 0x00000000, 0x3f800000},  // 0
    {0x80000000, 0x80000000, 0x3f800000},  // -0
    {0x000116c2, 0x000116c2, 0x3f800000},  // 1e-40

    {0x3dcccccd, 0x3dcc7577, 0x3f7eb898},  // 0.1
    {0xbdcccccd, 0xbdcc7577, 0x3f7eb898},  // -0.1
    {0x3f800000, 0x3f576aa5, 0x3f0a5140},  // 1

    {0x478b9a08, 0xbf7e3e19, 0x3def8fc6},  // 71476.06, the limit of cos

    {0x407b53d2, 0xbf3504f5, 0xbf3504f1},  // 3.926991
    {0xc16ec2d4, 0xbf3504ef, 0xbf3504f8},  // -14.922565
    {0x41c2c75c, 0xbf3504ef, 0x3f3504f8},  // 24.347343
    {0x420716a7, 0x3f3504ef, 0xbf3504f8},  // 33.77212
    {0xc219f024, 0xbf35050e, 0x3f3504d8},  // -38.484512
    {0x4501261f, 0xbf3504ee, 0x3f3504f8},  // 2066.3826
    {0x460001f4, 0xbf350327, 0x3f3506c0},  // 8192.488
    {0xc700012b, 0xbf34f289, 0xbf35175c},  // -32769.168
};

TEST(NumpyMath, Float32SineAndCosineAreNumpys) {
  for (const Sample& sample : kSamples) {
    const float x = std::bit_cast<float>(sample.x);
    if (numpy_internal::HasFusedKernel()) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(NumpySin(x)), sample.sin) << x;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(NumpyCos(x)), sample.cos) << x;
    } else {
      EXPECT_EQ(NumpySin(x), std::sin(x)) << x;
      EXPECT_EQ(NumpyCos(x), std::cos(x)) << x;
    }
  }
}

TEST(NumpyMath, LargeFloat32AnglesAreTheLibrarys) {
  const float above_sin = std::nextafter(numpy_internal::kSinLimit, 1e6f);
  const float above_cos = std::nextafter(numpy_internal::kCosLimit, 1e6f);
  for (const float sign : {1.0f, -1.0f}) {
    EXPECT_EQ(NumpySin(sign * above_sin), std::sin(sign * above_sin));
    EXPECT_EQ(NumpyCos(sign * above_cos), std::cos(sign * above_cos));
    EXPECT_EQ(NumpySin(sign * 1e30f), std::sin(sign * 1e30f));
    EXPECT_EQ(NumpyCos(sign * 1e30f), std::cos(sign * 1e30f));
  }
  EXPECT_TRUE(std::isnan(NumpySin(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(NumpyCos(std::numeric_limits<float>::infinity())));
}

// Through a pointer that the compiler cannot see through.
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

}  // namespace
}  // namespace engine
