// Reductions with the same rounding errors as NumPy's. NumPy's order of operations is not that of a
// plain loop. Pure functions; any thread.
#ifndef ENGINE_BASE_NUMPY_ARRAYS_H_
#define ENGINE_BASE_NUMPY_ARRAYS_H_

#include <cmath>
#include <cstddef>
#include <span>

#include "engine/base/numpy_kernels.h"

namespace engine {

// np.sum of at(begin), ..., at(begin + n - 1): pairwise, with eight partial sums for up to 128
// values.
template <class T, class At>
T PairwiseSum(const At& at, std::size_t begin, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kBlock = 128;
  if (n < kLanes) {
    T sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += at(begin + i);
    return sum;
  }
  if (n <= kBlock) {
    T lanes[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = at(begin + lane);
    std::size_t i = kLanes;
    for (; i + kLanes <= n; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += at(begin + i + lane);
    }
    T sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
            ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    for (; i < n; ++i) sum += at(begin + i);
    return sum;
  }
  const std::size_t half = n / 2 - n / 2 % kLanes;
  return PairwiseSum<T>(at, begin, half) + PairwiseSum<T>(at, begin + half, n - half);
}

// np.sum(values).
inline double Sum(std::span<const double> values) {
  return PairwiseSum<double>([&](std::size_t i) { return values[i]; }, 0, values.size());
}

// `sum` plus one more product, as np.einsum adds it: in one rounding where NumPy's vectors of the
// baseline have a fused multiply-add (ARM), in two on x86-64.
inline double EinsumAdd(double sum, double a, double b) {
#if defined(__aarch64__)
  return std::fma(a, b, sum);
#else
  return sum + a * b;
#endif
}

// np.sum(np.square(values)), in the precision of the values.
template <class T>
T SumOfSquares(std::span<const T> values) {
  return PairwiseSum<T>([&](std::size_t i) { return values[i] * values[i]; }, 0, values.size());
}

// np.clip(value, low, high). NaN stays NaN.
inline double Clip(double value, double low, double high) {
  if (std::isnan(value)) return value;
  const double raised = value > low ? value : low;
  return raised < high ? raised : high;
}

// np.linalg.norm of an array without an axis: the square root of the dot product of `values` with
// itself.
inline double Norm(std::span<const double> values) { return std::sqrt(NumpyDot(values, values)); }

}  // namespace engine

#endif  // ENGINE_BASE_NUMPY_ARRAYS_H_
