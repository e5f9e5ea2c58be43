// The reset options `low` and `high` of most classic-control environments: the bounds of the
// uniform distribution of the initial state. The thread that requests the reset constructs the
// object, which is immutable afterwards.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_RESET_BOUNDS_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_RESET_BOUNDS_H_

#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/env/params.h"

namespace engine::classic_control {

class ResetBounds {
 public:
  // `limit`: the largest magnitude of a valid initial state.
  static ParamSchema Options(double low, double high, double limit, const std::string& what) {
    return {
        {.name = "low",
         .default_value = low,
         .doc = "Lower bound of the uniform draw of " + what + ".",
         .low = -limit,
         .high = limit},
        {.name = "high",
         .default_value = high,
         .doc = "Upper bound of the uniform draw of " + what + ", at least low.",
         .low = -limit,
         .high = limit},
    };
  }

  // Throws Error{kOption} if low > high, or if high - low is not finite.
  explicit ResetBounds(const ParamValues& options)
      // + 0.0 removes the sign of a zero, because 'high' - 'low' must not be -0.0.
      : low_(options.Get<double>("low") + 0.0), high_(options.Get<double>("high") + 0.0) {
    if (low_ > high_) {
      throw Error(ErrorKind::kOption, "reset option 'low' (" + ToString(low_) +
                                          ") must not exceed 'high' (" + ToString(high_) + ")");
    }
    if (!std::isfinite(high_ - low_)) {
      throw Error(ErrorKind::kOption, "reset options 'low' (" + ToString(low_) + ") and 'high' (" +
                                          ToString(high_) + ") are too far apart: 'high' - 'low' " +
                                          "must be a finite float64");
    }
  }

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_;
  double high_;
};

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_RESET_BOUNDS_H_
