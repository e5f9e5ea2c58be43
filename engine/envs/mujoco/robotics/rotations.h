// Rotations, computed as in Gymnasium-Robotics' utils/rotations.py. Pure functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ROTATIONS_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ROTATIONS_H_

#include <array>
#include <cstddef>
#include <span>

namespace engine::mujoco::robotics {

using Vector = std::array<double, 3>;      // x, y and z
using Quaternion = std::array<double, 4>;  // w, x, y and z

// Returns mat2euler of a matrix, row by row: the angles about x, y and z (radians).
Vector EulerAngles(const double* matrix);
// Returns quat2euler and euler2quat.
Vector EulerAngles(const Quaternion& rotation);
Quaternion QuaternionOf(const Vector& euler);

// Returns the rotation by an angle (radians) about an axis of any length, normalised.
Quaternion RotationAbout(Vector axis, double angle);
// Returns quat_mul: first `second`, then `first`.
Quaternion Multiply(const Quaternion& first, const Quaternion& second);
// Returns the angle between two rotations (radians).
double AngleBetween(const Quaternion& first, const Quaternion& second);

// Divides by np.linalg.norm(values).
void Normalize(std::span<double> values);

// The rotations of a cube onto itself, in the order of get_parallel_rotations.
inline constexpr std::size_t kParallelRotations = 24;
std::array<Quaternion, kParallelRotations> ParallelRotations();

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ROTATIONS_H_
