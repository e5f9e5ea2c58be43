// Compiles the functions of lanes/*.inl for each instruction set, and finds those that this
// processor and its C library allow. Only functions with the attribute `target` are compiled for
// the instruction set, and each namespace has its own: code that others share stays as it is.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>

#include "engine/base/numpy_math.h"
#include "engine/envs/classic_control/acrobot.h"
#include "engine/envs/classic_control/cartpole.h"
#include "engine/envs/classic_control/lanes/lanes.h"
#include "engine/envs/classic_control/mountain_car.h"
#include "engine/envs/classic_control/pendulum.h"

#if defined(__x86_64__) && defined(__GNUC__) && defined(__SIZEOF_FLOAT128__)
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

// Angles at which glibc would give another sine or cosine if its compiler had fused other
// operations than those that sin_cos.inl fuses, in each range and for each choice that changes any
// result. Of random angles, fewer than one in a thousand tells.
constexpr double kTellingAngles[] = {
    0x1.713f36655c592p-4,  0x1.5271c44c40fefp-4,  0x1.26db9acfdb0e2p-3,  0x1.b5d2b854eb60bp-1,
    0x1.170ae5ab172cap+0,  0x1.ac4af7040f9p+0,    0x1.b114c39e6ad4p+0,   0x1.088589ab2c8fbp+1,
    0x1.0ac314b95eb4ap+1,  0x1.ee9c71faacbc8p+4,  0x1.d31b2a5ab2a43p+5,  0x1.63027f3dfe69p+5,
    0x1.dfec956d41919p+5,  0x1.dd1c31395bee9p+5,  0x1.eb10f2773d528p+5,  0x1.478e13c7acd7p+5,
    0x1.d05ac972019b3p+5,  0x1.eedb4def8dd69p+5,  0x1.b467c31845c5ep+5,  0x1.2f1135419fad3p+5,
    0x1.a12c3def15f33p+5,  0x1.fe2427edfb0edp+25, 0x1.58044a70e3ab7p+25, 0x1.639a5ec23f1a3p+22,
    0x1.6b557058ced46p+26, 0x1.d5cd9a8e12546p+25, 0x1.1e58f67f48febp+25, 0x1.e996666d37fb5p+23,
    0x1.c08ae65544522p+24, 0x1.0ad1ad57e0bb5p+25, 0x1.a29e4a96e8c57p+25, 0x1.069eed1fe1686p+23};

// Called through pointers, so that the compiler does not compute a sine and a cosine by one call,
// as it does in NumpySinCos.
double (*const volatile kSine)(double) = &std::sin;
double (*const volatile kCosine)(double) = &std::cos;

// Whether the functions agree with the C library in lanes with these numbers.
bool Agree(const LaneFunctions& functions, const double* numbers) {
  double sines[kMostLanes];
  double cosines[kMostLanes];
  double squares[kMostLanes];
  double narrow[kMostLanes];
  double narrow_squares[kMostLanes];
  for (std::uint32_t i = 0; i < functions.lanes; ++i)
    narrow[i] = static_cast<double>(static_cast<float>(numbers[i]));
  functions.square(numbers, squares);
  functions.square_float32(narrow, narrow_squares);
  if (functions.sin_cos(numbers, sines, cosines) != (1U << functions.lanes) - 1) return false;
  for (std::uint32_t i = 0; i < functions.lanes; ++i) {
    const double x = numbers[i];
    const float narrow_square = PowSquare(static_cast<float>(narrow[i]));
    if (!AreEqual(sines[i], std::sin(x)) || !AreEqual(cosines[i], std::cos(x)) ||
        !AreEqual(sines[i], kSine(x)) || !AreEqual(cosines[i], kCosine(x)) ||
        !AreEqual(squares[i], PowSquare(x)) ||
        !AreEqual(narrow_squares[i], static_cast<double>(narrow_square))) {
      return false;
    }
  }
  return true;
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

bool AgreesWithLibrary([[maybe_unused]] const LaneFunctions& functions) {
#ifdef ENGINE_HAS_LANES
  // Angles of all ranges in which sines are computed differently.
  constexpr double kEnds[] = {0x1p-30, 0.126, 0.85546875, 2.426, 8.0, 1e8};
  constexpr int kSamples = 32;  // vectors for each range
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
  static_assert(std::size(kTellingAngles) % kMostLanes == 0);
  for (std::size_t first = 0; first < std::size(kTellingAngles); first += functions.lanes)
    if (!Agree(functions, kTellingAngles + first)) return false;
  constexpr double kZeros[kMostLanes] = {0.0, -0.0, 0x1p-27, -0x1p-26, 0x1p-1000, 1.0, -3.0, 0.0};
  return Agree(functions, kZeros);
#else
  return false;
#endif
}

const LaneFunctions* FindLanes() {
  static const std::array<LaneFunctions, 3> found = FindAll();
  return found.data();
}

LaneFunctions lanes_in_use = *FindLanes();

}  // namespace engine::classic_control
