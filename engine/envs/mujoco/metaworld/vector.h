// Positions, and their norms as NumPy computes them. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_VECTOR_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_VECTOR_H_

#include <array>
#include <cmath>

#include "engine/base/numpy_arrays.h"

namespace engine::mujoco::metaworld {

struct Vector {
  double x = 0.0, y = 0.0, z = 0.0;  // m

  static Vector At(const double* values) { return {values[0], values[1], values[2]}; }
  void CopyTo(double* values) const {
    values[0] = x;
    values[1] = y;
    values[2] = z;
  }

  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  // Of the elements.
  friend Vector operator*(Vector a, Vector b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  friend Vector operator/(Vector a, double b) { return {a.x / b, a.y / b, a.z / b}; }
};

// np.linalg.norm of all elements, of the elements x and y, and of x and z.
inline double Norm(Vector a) { return engine::Norm(std::array{a.x, a.y, a.z}); }
inline double NormXy(Vector a) { return engine::Norm(std::array{a.x, a.y}); }
inline double NormXz(Vector a) { return engine::Norm(std::array{a.x, a.z}); }
// np.linalg.norm of a number.
inline double Norm(double a) { return std::sqrt(a * a); }

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_VECTOR_H_
