// dm_control's rewards.tolerance, with the same rounding errors. MetaWorld has a copy of it. Pure
// data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_TOLERANCE_H_
#define ENGINE_ENVS_MUJOCO_TOLERANCE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"
#include "engine/base/numpy_math.h"

namespace engine::mujoco {

// The function by which a value decreases outside of the bounds.
enum class Sigmoid : std::uint8_t { kGaussian, kLinear, kQuadratic, kLongTail, kReciprocal };

struct ToleranceRule {
  double lower = 0.0;
  double upper = 0.0;  // both bounds are inclusive
  double margin = 0.0;
  Sigmoid sigmoid = Sigmoid::kGaussian;
  double value_at_margin = 0.1;
};

// A function that is 1 within the bounds. Outside, it decreases from 1 to `value_at_margin` at the
// distance `margin` from the nearest bound. Without a margin, it is 0 outside.
class Tolerance {
 public:
  Tolerance() = default;
  explicit Tolerance(const ToleranceRule& rule) : rule_(rule), scale_(ScaleOf(rule)) {}

  // Returns the value for a NumPy scalar, which NumPy squares with the C library's pow.
  double operator()(double x) const {
    return Value(x, [](double value) { return PowSquare(value); });
  }
  // Returns the value for an element of an array, which NumPy squares by a product.
  double OfElement(double x) const {
    return Value(x, [](double value) { return value * value; });
  }
  // Returns np.mean of the values for the elements of an array.
  double Mean(std::span<const double> values) const {
    const double sum =
        PairwiseSum<double>([&](std::size_t i) { return OfElement(values[i]); }, 0, values.size());
    return sum / static_cast<double>(values.size());
  }
  // Returns np.min of the values for the elements of an array, or NaN if a value is NaN. Requires:
  // the array is not empty.
  double Min(std::span<const double> values) const {
    double least = OfElement(values[0]);
    for (const double x : values.subspan(1)) {
      const double value = OfElement(x);
      if (value < least || std::isnan(value)) least = value;
    }
    return least;
  }

 private:
  static double ScaleOf(const ToleranceRule& rule) {
    const double at_1 = rule.value_at_margin;
    switch (rule.sigmoid) {
      case Sigmoid::kGaussian:
        return std::sqrt(-2.0 * NumpyLog(at_1));
      case Sigmoid::kLinear:
        return 1.0 - at_1;
      case Sigmoid::kQuadratic:
        return std::sqrt(1.0 - at_1);
      case Sigmoid::kLongTail:
        return std::sqrt(1.0 / at_1 - 1.0);
      case Sigmoid::kReciprocal:
        return 1.0 / at_1 - 1.0;
    }
    return 0.0;  // not reached
  }

  template <class Square>
  double Value(double x, const Square& square) const {
    if (rule_.lower <= x && x <= rule_.upper) return 1.0;
    if (rule_.margin == 0.0) return 0.0;
    const double distance = (x < rule_.lower ? rule_.lower - x : x - rule_.upper) / rule_.margin;
    switch (rule_.sigmoid) {
      case Sigmoid::kGaussian:
        return NumpyExp(-0.5 * square(distance * scale_));
      case Sigmoid::kLinear: {
        const double scaled = distance * scale_;
        return std::abs(scaled) < 1.0 ? 1.0 - scaled : 0.0;
      }
      case Sigmoid::kQuadratic: {
        const double scaled = distance * scale_;
        return std::abs(scaled) < 1.0 ? 1.0 - square(scaled) : 0.0;
      }
      case Sigmoid::kLongTail:
        return 1.0 / (square(distance * scale_) + 1.0);
      case Sigmoid::kReciprocal:
        return 1.0 / (std::abs(distance) * scale_ + 1.0);
    }
    return 0.0;  // not reached
  }

  ToleranceRule rule_;
  double scale_ = 0.0;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_TOLERANCE_H_
