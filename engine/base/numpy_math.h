// Scalar arithmetic with NumPy's results, for environments whose reference is
// written in NumPy. Pure functions; any thread.
//
// pow of a scalar is the C library's, in NumPy as here. This file contains the operations that
// differ from plain C++: the sign rule of %, and powers that a compiler must not rewrite. Functions
// that NumPy computes itself are in numpy_kernels.h.
#ifndef ENGINE_BASE_NUMPY_MATH_H_
#define ENGINE_BASE_NUMPY_MATH_H_

#include <cmath>
#include <concepts>

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

// numpy.clip. In contrast to std::clamp, `low` may exceed `high`, which is then the result.
template <std::floating_point T>
T NumpyClip(T x, T low, T high) {
  const T raised = x < low ? low : x;  // also if x is NaN
  return high < raised ? high : raised;
}

}  // namespace engine

#endif  // ENGINE_BASE_NUMPY_MATH_H_
