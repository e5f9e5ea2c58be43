// Compiles the functions of lanes/*.inl for each instruction set, and finds those that this
// processor and its C library allow. Only functions with the attribute `target` are compiled for
// the instruction set, and each namespace has its own: code that others share stays as it is.
#include "engine/envs/classic_control/lanes/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "engine/base/numpy_math.h"
#include "engine/envs/classic_control/acrobot.h"
#include "engine/envs/classic_control/cartpole.h"
#include "engine/envs/classic_control/mountain_car.h"
#include "engine/envs/classic_control/pendulum.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ENGINE_HAS_LANES

#include <immintrin.h>

#include "engine/envs/classic_control/lanes/sine_table.h"

#define LANES [[gnu::always_inline]] LANE_TARGET inline

#define LANE_TARGET [[gnu::target("avx2,fma")]]
namespace engine::classic_control::avx2 {
constexpr const char* kName = "AVX2";
#include "engine/envs/classic_control/lanes/avx2.inl"
#include "engine/envs/classic_control/lanes/functions.inl"
}  // namespace engine::classic_control::avx2
#undef LANE_TARGET

#define LANE_TARGET [[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")]]
namespace engine::classic_control::avx512 {
constexpr const char* kName = "AVX-512";
#include "engine/envs/classic_control/lanes/avx512.inl"
#include "engine/envs/classic_control/lanes/functions.inl"
}  // namespace engine::classic_control::avx512
#undef LANE_TARGET
#undef LANES
#endif

namespace engine::classic_control {
namespace {

#ifdef ENGINE_HAS_LANES
bool AreEqual(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Whether the functions agree with the C library in lanes with these numbers. A library with
// another method differs in at least one of a hundred angles; one whose compiler has fused other
// operations differs in one of some ten thousand.
bool Agree(const LaneFunctions& functions, const double* numbers) {
  double sines[kMostLanes];
  double cosines[kMostLanes];
  double squares[kMostLanes];
  functions.square(numbers, squares);
  double floats[kMostLanes];
  double float_squares[kMostLanes];
  for (std::uint32_t i = 0; i < functions.lanes; ++i)
    floats[i] = static_cast<double>(static_cast<float>(numbers[i]));
  functions.square_float32(floats, float_squares);
  if (functions.sin_cos(numbers, sines, cosines) != (1U << functions.lanes) - 1) return false;
  for (std::uint32_t i = 0; i < functions.lanes; ++i) {
    if (!AreEqual(sines[i], std::sin(numbers[i])) || !AreEqual(cosines[i], std::cos(numbers[i])) ||
        !AreEqual(squares[i], PowSquare(numbers[i])) ||
        !AreEqual(float_squares[i],
                  static_cast<double>(PowSquare(static_cast<float>(floats[i]))))) {
      return false;
    }
  }
  return true;
}

// With angles of each of the ranges in which sines are computed differently.
bool AgreesWithLibrary(const LaneFunctions& functions) {
  constexpr double kEnds[] = {0x1p-30, 0.126, 0.85546875, 2.426, 8.0, 1e8};
  constexpr int kSamples = 128;  // vectors for each range
  double previous = 0.0;
  std::uint64_t draw = 0;
  for (const double end : kEnds) {
    for (int sample = 0; sample < kSamples; ++sample) {
      double numbers[kMostLanes];
      for (double& number : numbers) {
        draw = draw * 6364136223846793005U + 1442695040888963407U;
        const double fraction = static_cast<double>(draw >> 11) * 0x1p-53;
        number = previous + (end - previous) * fraction;
        if ((draw >> 10 & 1U) != 0) number = -number;
      }
      if (!Agree(functions, numbers)) return false;
    }
    previous = end;
  }
  constexpr double kZeros[kMostLanes] = {0.0, -0.0, 0x1p-27, -0x1p-26, 0x1p-1000, 1.0, -3.0, 0.0};
  return Agree(functions, kZeros);
}

bool Has(const LaneFunctions& functions) {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (functions.lanes == avx2::kLanes) return has_avx2;
  return has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
#endif

std::array<LaneFunctions, 3> FindAll() {
  std::array<LaneFunctions, 3> found;
#ifdef ENGINE_HAS_LANES
  std::size_t count = 0;
  for (const LaneFunctions& functions : {avx512::kFunctions, avx2::kFunctions}) {
    if (Has(functions) && AgreesWithLibrary(functions)) found[count++] = functions;
  }
#endif
  return found;
}

}  // namespace

const LaneFunctions* FindLanes() {
  static const std::array<LaneFunctions, 3> found = FindAll();
  return found.data();
}

LaneFunctions lanes_in_use = *FindLanes();

}  // namespace engine::classic_control
