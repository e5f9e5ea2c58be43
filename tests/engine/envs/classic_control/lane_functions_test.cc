// Sines, cosines and squares of lanes beside those of the C library, with each instruction set of
// this processor, bit by bit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "engine/base/numpy_math.h"
#include "engine/base/rng.h"
#include "engine/base/vector_unit.h"
#include "engine/envs/classic_control/lanes/lanes.h"
#include "engine/envs/classic_control/lanes/sine_table.h"
#include "tests/engine/harness.h"

namespace engine::classic_control::testing {
namespace lane_functions_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargestAngle = 105414336.0;  // sines of larger angles are not in lanes

bool AreEqual(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

struct Counts {
  int compared = 0;
  int left = 0;  // angles without a valid result
};

// Compares vectors of angles.
Counts CompareSines(const LaneFunctions& functions, std::vector<double> angles) {
  Counts counts;
  angles.resize((angles.size() + kMostLanes - 1) / kMostLanes * kMostLanes, angles.back());
  int unequal = 0;
  for (std::size_t first = 0; first < angles.size(); first += functions.lanes) {
    double sines[kMostLanes];
    double cosines[kMostLanes];
    const unsigned valid = functions.sin_cos(&angles[first], sines, cosines);
    for (std::uint32_t i = 0; i < functions.lanes; ++i) {
      const double x = angles[first + i];
      if ((valid >> i & 1U) == 0) {
        ++counts.left;
        continue;
      }
      ++counts.compared;
      if (AreEqual(sines[i], std::sin(x)) && AreEqual(cosines[i], std::cos(x))) continue;
      if (++unequal < 10) EXPECT_EQ(sines[i], std::sin(x)) << functions.name << " sin " << x;
      if (unequal < 10) EXPECT_EQ(cosines[i], std::cos(x)) << functions.name << " cos " << x;
    }
  }
  EXPECT_EQ(unequal, 0) << functions.name;
  return counts;
}

TEST(LaneFunctions, AreFoundWhereTheProcessorHasThem) {
  std::uint32_t lanes = kMostLanes + 1;
  for (const LaneFunctions* functions = FindLanes(); functions->lanes != 0; ++functions) {
    EXPECT_LT(functions->lanes, lanes) << "the best are first";
    lanes = functions->lanes;
  }
#if defined(__x86_64__) && defined(__GLIBC__)
  // Its sines agree.
  EXPECT_EQ(FindLanes()->lanes != 0, SupportsAvx2() && __builtin_cpu_supports("fma") != 0);
#endif
  EXPECT_EQ(Lanes().lanes, FindLanes()->lanes);
}

TEST(LaneFunctions, SinesAreTheLibrarysInEveryRange) {
  constexpr double kEnds[] = {0.0,      0x1p-30, 0x1p-20, 0.126,        0.85546875,
                              2.426265, 10.0,    1e3,     kLargestAngle};
  constexpr int kAngles = 20000;
  Rng rng(1);
  EXPECT_TRUE(kAngles > 0);
  for (const LaneFunctions* functions = FindLanes(); functions->lanes != 0; ++functions) {
    for (std::size_t range = 1; range < std::size(kEnds); ++range) {
      std::vector<double> angles(kAngles);
      for (double& angle : angles) {
        angle = rng.Uniform(kEnds[range - 1], kEnds[range]) * (rng.Integers(2) == 0 ? -1.0 : 1.0);
      }
      const Counts counts = CompareSines(*functions, angles);
      EXPECT_EQ(counts.left, 0) << functions->name << " to " << kEnds[range];
    }
    // Ranges mixed in one vector.
    std::vector<double> angles(kAngles);
    for (double& angle : angles) angle = std::exp(rng.Uniform(-80.0, 25.0));
    const Counts counts = CompareSines(*functions, angles);
    EXPECT_TRUE(counts.left > kAngles / 20 && counts.left < kAngles / 5) << counts.left;
  }
}

TEST(LaneFunctions, SinesNearTheEndsOfRangesAndMultiplesOfAQuarterTurn) {
  EXPECT_TRUE(FindLanes() != nullptr);
  std::vector<double> angles;
  const auto add_around = [&](double centre) {
    double above = centre;
    double below = centre;
    for (int i = 0; i < 20; ++i) {
      for (const double angle : {above, below, -above, -below}) angles.push_back(angle);
      above = std::nextafter(above, kInfinity);
      below = std::nextafter(below, -kInfinity);
    }
  };
  for (const double centre : {0.0, 0x1p-27, 0x1p-26, 0.126, 0.85546875, 2.426265, 2.42626398801803,
                              105414336.0, 105414350.0}) {
    add_around(centre);
  }
  for (int k = 1; k < 300; ++k) {
    add_around(k * std::numbers::pi / 4.0);
    add_around(k * 12345.0 * std::numbers::pi / 2.0);
    add_around((k + 0.5) / 128.0);  // between two rows of the table
    add_around(std::numbers::pi / 2.0 - (k + 0.5) / 128.0);
  }
  for (const LaneFunctions* functions = FindLanes(); functions->lanes != 0; ++functions) {
    const Counts counts = CompareSines(*functions, angles);
    EXPECT_LT(counts.left, counts.compared / 100);
  }
}

TEST(LaneFunctions, OtherAnglesAreNotValid) {
  EXPECT_TRUE(FindLanes() != nullptr);
  for (const LaneFunctions* functions = FindLanes(); functions->lanes != 0; ++functions) {
    for (const double angle : {kNan, kInfinity, -kInfinity, 1e9, -1e300}) {
      for (std::uint32_t lane = 0; lane < functions->lanes; ++lane) {
        double angles[kMostLanes] = {0.5, 0.5, 3.0, 0.5, 0.5, 3.0, 0.5, 0.5};
        angles[lane] = angle;
        double sines[kMostLanes];
        double cosines[kMostLanes];
        const unsigned all = (1U << functions->lanes) - 1;
        EXPECT_EQ(functions->sin_cos(angles, sines, cosines), all & ~(1U << lane));
        EXPECT_EQ(cosines[(lane + 1) % 2], std::cos(angles[(lane + 1) % 2]));
      }
    }
  }
}

// Sines and cosines of a library that computes as the lanes do, but for one operation: the last
// product of a sine from the table is not fused.
unsigned SinesOfAnotherLibrary(const double* angles, double* sines, double* cosines) {
  const unsigned valid = FindLanes()->sin_cos(angles, sines, cosines);
  for (std::uint32_t i = 0; i < FindLanes()->lanes; ++i) {
    const double x = std::abs(angles[i]);
    if (x < 0.126 || x >= 0.85546875) continue;
    const double rounded = x + 0x1.8p45;
    const double y = x - (rounded - 0x1.8p45);
    const double yy = y * y;
    const SineRow& row = kSineTable[std::bit_cast<std::uint64_t>(rounded) % kSineTable.size()];
    const double s = y + y * yy * std::fma(yy, 8.33333214285722277e-03, -1.66666666666664881e-01);
    const double c =
        yy * std::fma(yy, std::fma(yy, 1.38888874937007938e-03, -4.16666666666664434e-02), 0.5);
    const double low = std::fma(-row.sin, c, std::fma(s, row.cos_rest, row.sin_rest));
    const double last = row.cos * s;
    sines[i] = std::copysign(row.sin + (low + last), angles[i]);
  }
  return valid;
}

TEST(LaneFunctions, AreNotUsedIfTheLibraryDiffersInOneRounding) {
  if (FindLanes()->lanes == 0) {
    EXPECT_EQ(Lanes().lanes, 0U);
    return;
  }
  EXPECT_TRUE(AgreesWithLibrary(*FindLanes()));
  LaneFunctions other = *FindLanes();
  other.sin_cos = &SinesOfAnotherLibrary;
  EXPECT_FALSE(AgreesWithLibrary(other));
  // It differs rarely.
  constexpr int kAngles = 40000;
  int differ = 0;
  Rng rng(3);
  for (int i = 0; i < kAngles; ++i) {
    double angles[kMostLanes];
    for (double& angle : angles) angle = rng.Uniform(0.2, 0.8);
    double sines[kMostLanes];
    double cosines[kMostLanes];
    SinesOfAnotherLibrary(angles, sines, cosines);
    differ += sines[0] != std::sin(angles[0]) ? 1 : 0;
  }
  EXPECT_TRUE(differ > 0 && differ < kAngles / 500) << differ;
}

TEST(LaneFunctions, SquaresAreTheLibrarysPow) {
  constexpr int kNumbers = 200000;
  Rng rng(2);
  std::vector<double> numbers = {0.0,    -0.0,     1.0,      -3.0,    kInfinity, -kInfinity,
                                 kNan,   0x1p-540, 0x1p-538, 0x1p511, 0x1p512,   -0x1p513,
                                 1e-320, 5e-324,   0x1p-100, 0x1p100};
  for (int i = 0; i < kNumbers; ++i) {
    const double range = i % 4 == 0 ? 360.0 : 5.0;
    numbers.push_back(std::exp(rng.Uniform(-range, range)) * (i % 2 == 0 ? 1.0 : -1.0));
  }
  // Squares next to the middle of two doubles, for which pow is not the nearest.
  int rounded_otherwise = 0;
  for (const double number : numbers) rounded_otherwise += PowSquare(number) != number * number;
  EXPECT_GT(rounded_otherwise, kNumbers / 10000);
  for (const LaneFunctions* functions = FindLanes(); functions->lanes != 0; ++functions) {
    for (std::size_t first = 0; first + functions->lanes <= numbers.size();
         first += functions->lanes) {
      double squares[kMostLanes];
      functions->square(&numbers[first], squares);
      for (std::uint32_t i = 0; i < functions->lanes; ++i) {
        const double square = PowSquare(numbers[first + i]);
        if (std::isnan(square) && std::isnan(squares[i])) continue;
        if (!AreEqual(squares[i], square))
          EXPECT_EQ(squares[i], square) << functions->name << ' ' << numbers[first + i];
      }
    }
  }
}

}  // namespace lane_functions_test
}  // namespace engine::classic_control::testing
