// Rotations, computed as in Gymnasium-Robotics' utils/rotations.py. Pure functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ROTATIONS_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ROTATIONS_H_

#include <array>
#include <cmath>
#include <limits>

#include "engine/base/numpy_kernels.h"

namespace engine::mujoco::robotics {

// Returns mat2euler of a matrix, row by row: the angles about x, y and z (radians).
inline std::array<double, 3> EulerAngles(const double* matrix) {
  constexpr double kSmallest = 4.0 * std::numeric_limits<double>::epsilon();
  const auto at = [&](int row, int column) { return matrix[3 * row + column]; };
  const double cosine = std::sqrt(at(2, 2) * at(2, 2) + at(1, 2) * at(1, 2));
  const double about_y = -NumpyArctan2(-at(0, 2), cosine);
  if (cosine > kSmallest) {
    return {-NumpyArctan2(at(1, 2), at(2, 2)), about_y, -NumpyArctan2(at(0, 1), at(0, 0))};
  }
  return {0.0, about_y, -NumpyArctan2(-at(1, 0), at(1, 1))};
}

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ROTATIONS_H_
