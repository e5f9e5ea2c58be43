// Scalar arithmetic with NumPy's results, for environments whose reference is
// written in NumPy. Pure functions; any thread.
//
// float64 sin, cos and pow are the C library's, in NumPy as here. This file has what differs from
// plain C++: the sign rule of %, powers that a compiler must not rewrite, and float32 sin and cos,
// which NumPy computes by a polynomial of its own wherever the processor has fused multiply-add.
#ifndef ENGINE_BASE_NUMPY_MATH_H_
#define ENGINE_BASE_NUMPY_MATH_H_

#include <cmath>

namespace engine {

// x ** 2 of a NumPy scalar, which is the C library's pow. For about one x in a thousand its last
// bit differs from that of x * x. The exponent is volatile, so that the compiler cannot replace pow
// by that product.
inline const volatile double kPowerExponent = 2.0;
inline const volatile float kPowerExponentF = 2.0f;

inline double PowSquare(double x) { return std::pow(x, kPowerExponent); }
inline float PowSquare(float x) { return std::pow(x, kPowerExponentF); }

// a % b of NumPy floats: the result has the sign of b.
inline double FloorMod(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0.0) return std::copysign(0.0, b);
  return (b < 0.0) != (remainder < 0.0) ? remainder + b : remainder;
}

namespace numpy_internal {

// For larger magnitudes (radians) the reduction below is inaccurate, and NumPy uses the C library.
inline constexpr float kSinLimit = 117435.992f;
inline constexpr float kCosLimit = 71476.0625f;

// Whether NumPy uses its kernel with fused multiply-add on this processor. On x86-64, NumPy's
// target for it requires AVX2 and FMA; every AArch64 processor has what it needs.
inline bool HasFusedKernel() {
#if defined(__x86_64__)
  static const bool has = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  }();
  return has;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

// sin(x + quarter_turns * pi/2) for |x| below the limits, with the same sequence of roundings as
// NumPy's float32 kernel: x is reduced by multiples of pi/2 split into three parts (Cody and
// Waite), then one of two minimax polynomials is evaluated, each step one fused multiply-add.
// Method and coefficients: NumPy 2.x, numpy/_core/src/umath/loops_trigonometric.dispatch.cpp.
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]]
#endif
inline float FusedSin(float x, int quarter_turns) {
  // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer. NumPy's source multiplies and
  // then adds; in its builds the compiler fuses these operations.
  constexpr float kRounder = 0x1.8p+23f;
  const float turns = std::fma(x, 0x1.45f306p-1f, kRounder) - kRounder;
  float r = std::fma(turns, -0x1.921fb0p+00f, x);
  r = std::fma(turns, -0x1.5110b4p-22f, r);
  r = std::fma(turns, -0x1.846988p-48f, r);
  const float r2 = r * r;

  const int quadrant = static_cast<int>(turns) + quarter_turns;
  float value;
  if ((quadrant & 1) == 0) {
    value = std::fma(0x1.7d3bbcp-19f, r2, -0x1.a06bbap-13f);
    value = std::fma(value, r2, 0x1.11119ap-07f);
    value = std::fma(value, r2, -0x1.555556p-03f);
    value = std::fma(value, r2, 0.0f);  // not a product: -0.0 must become 0.0 here
    value = std::fma(value, r, r);
  } else {
    value = std::fma(0x1.98e616p-16f, r2, -0x1.6c06dcp-10f);
    value = std::fma(value, r2, 0x1.55553cp-05f);
    value = std::fma(value, r2, -0x1.000000p-01f);
    value = std::fma(value, r2, 0x1.000000p+00f);
  }
  return (quadrant & 2) != 0 ? 0.0f - value : value;
}

}  // namespace numpy_internal

// np.sin of a float32.
inline float NumpySin(float x) {
  // NaN fails the comparison and uses the C library, as in NumPy.
  if (numpy_internal::HasFusedKernel() && std::abs(x) <= numpy_internal::kSinLimit) {
    return numpy_internal::FusedSin(x, 0);
  }
  return std::sin(x);
}

// np.cos of a float32.
inline float NumpyCos(float x) {
  if (numpy_internal::HasFusedKernel() && std::abs(x) <= numpy_internal::kCosLimit) {
    return numpy_internal::FusedSin(x, 1);
  }
  return std::cos(x);
}

}  // namespace engine

#endif  // ENGINE_BASE_NUMPY_MATH_H_
