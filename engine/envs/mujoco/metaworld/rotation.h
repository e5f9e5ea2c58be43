// scipy's Rotation.from_matrix(matrix).as_quat(). Pure function; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_ROTATION_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_ROTATION_H_

#include <array>
#include <cmath>
#include <cstddef>

namespace engine::mujoco::metaworld {

// Returns x, y, z and w of the rotation of an orthogonal matrix (3, 3), row by row.
inline std::array<double, 4> QuaternionOf(const double* matrix) {
  const auto at = [&](std::size_t row, std::size_t column) { return matrix[3 * row + column]; };
  const double trace = at(0, 0) + at(1, 1) + at(2, 2);
  const std::array<double, 4> sizes = {at(0, 0), at(1, 1), at(2, 2), trace};
  std::size_t i = 0;  // the first of the largest
  for (std::size_t j = 1; j < sizes.size(); ++j) {
    if (sizes[j] > sizes[i]) i = j;
  }
  std::array<double, 4> rotation;
  if (i == 3) {
    rotation = {at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1), 1.0 + trace};
  } else {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (j + 1) % 3;
    rotation[i] = 1.0 - trace + 2.0 * at(i, i);
    rotation[j] = at(j, i) + at(i, j);
    rotation[k] = at(k, i) + at(i, k);
    rotation[3] = at(k, j) - at(j, k);
  }
  double sum = 0.0;
  for (const double each : rotation) sum += each * each;
  const double norm = std::sqrt(sum);
  for (double& each : rotation) each /= norm;
  return rotation;
}

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_ROTATION_H_
