// See the header.
#include "engine/envs/mujoco/robotics/rotations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"

namespace engine::mujoco::robotics {
namespace {

using Matrix = std::array<double, 9>;  // row by row

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Sines and cosines of three angles, and their products.
struct Angles {
  Angles(double i, double j, double k) {
    const auto [sin_i, cos_i] = NumpySinCos(i);
    const auto [sin_j, cos_j] = NumpySinCos(j);
    const auto [sin_k, cos_k] = NumpySinCos(k);
    si = sin_i;
    ci = cos_i;
    sj = sin_j;
    cj = cos_j;
    sk = sin_k;
    ck = cos_k;
    cc = ci * ck;
    cs = ci * sk;
    sc = si * ck;
    ss = si * sk;
  }

  double si, ci, sj, cj, sk, ck;
  double cc, cs, sc, ss;
};

// euler2mat.
Matrix MatrixOf(const Vector& euler) {
  const Angles a(-euler[2], -euler[1], -euler[0]);
  return {a.cj * a.ci,        a.cj * a.si,        -a.sj,
          a.sj * a.cs - a.sc, a.sj * a.ss + a.cc, a.cj * a.sk,
          a.sj * a.cc + a.ss, a.sj * a.sc - a.cs, a.cj * a.ck};
}

// quat2mat.
Matrix MatrixOf(const Quaternion& rotation) {
  const auto [w, x, y, z] = rotation;
  const double squares = w * w + x * x + y * y + z * z;
  if (!(squares > kEpsilon)) return {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const double s = 2.0 / squares;
  const double xs = x * s;
  const double ys = y * s;
  const double zs = z * s;
  return {1.0 - (y * ys + z * zs), x * ys - w * zs,         x * zs + w * ys,
          x * ys + w * zs,         1.0 - (x * xs + z * zs), y * zs - w * xs,
          x * zs - w * ys,         y * zs + w * xs,         1.0 - (x * xs + y * ys)};
}

}  // namespace

Vector EulerAngles(const double* matrix) {
  const auto at = [&](int row, int column) { return matrix[3 * row + column]; };
  const double cosine = std::sqrt(at(2, 2) * at(2, 2) + at(1, 2) * at(1, 2));
  const double about_y = -NumpyArctan2(-at(0, 2), cosine);
  if (cosine > 4.0 * kEpsilon) {
    return {-NumpyArctan2(at(1, 2), at(2, 2)), about_y, -NumpyArctan2(at(0, 1), at(0, 0))};
  }
  return {0.0, about_y, -NumpyArctan2(-at(1, 0), at(1, 1))};
}

Vector EulerAngles(const Quaternion& rotation) { return EulerAngles(MatrixOf(rotation).data()); }

Quaternion QuaternionOf(const Vector& euler) {
  const Angles a(euler[2] / 2.0, -euler[1] / 2.0, euler[0] / 2.0);
  return {a.cj * a.cc + a.sj * a.ss, a.cj * a.cs - a.sj * a.sc, -(a.cj * a.ss + a.sj * a.cc),
          a.cj * a.sc - a.sj * a.cs};
}

Quaternion RotationAbout(Vector axis, double angle) {
  Normalize(axis);
  const auto [sine, cosine] = NumpySinCos(angle / 2.0);
  Quaternion rotation = {cosine, sine * axis[0], sine * axis[1], sine * axis[2]};
  Normalize(rotation);
  return rotation;
}

Quaternion Multiply(const Quaternion& first, const Quaternion& second) {
  const auto [w0, x0, y0, z0] = first;
  const auto [w1, x1, y1, z1] = second;
  return {w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1, w0 * x1 + x0 * w1 + y0 * z1 - z0 * y1,
          w0 * y1 + y0 * w1 + z0 * x1 - x0 * z1, w0 * z1 + z0 * w1 + x0 * y1 - y0 * x1};
}

double AngleBetween(const Quaternion& first, const Quaternion& second) {
  // The real part of the product of `first` and the inverse of `second`.
  double cosine = first[0] * second[0];
  for (std::size_t i = 1; i < first.size(); ++i) cosine += first[i] * second[i];
  return 2.0 * NumpyArccos(Clip(cosine, -1.0, 1.0));
}

void Normalize(std::span<double> values) {
  const double norm = Norm(values);
  for (double& value : values) value /= norm;
}

std::array<Quaternion, kParallelRotations> ParallelRotations() {
  constexpr double kRight = std::numbers::pi / 2.0;  // radians
  constexpr std::array<double, 4> kTurns = {0.0, kRight, -kRight, std::numbers::pi};
  std::vector<Vector> found;
  for (const double x : kTurns) {
    for (const double y : kTurns) {
      for (const double z : kTurns) {
        Vector euler = EulerAngles(MatrixOf(Vector{x, y, z}).data());
        for (double& angle : euler) angle = std::nearbyint(angle / kRight);
        if (euler[0] == -2.0) euler[0] = 2.0;
        if (euler[2] == -2.0) euler[2] = 2.0;
        for (double& angle : euler) angle *= kRight;
        if (std::ranges::find(found, euler) == found.end()) found.push_back(euler);
      }
    }
  }
  if (found.size() != kParallelRotations) {
    throw Error(ErrorKind::kInternal, "expected 24 rotations of a cube onto itself, found " +
                                          std::to_string(found.size()));
  }
  std::array<Quaternion, kParallelRotations> rotations;
  std::ranges::transform(found, rotations.begin(), QuaternionOf);
  return rotations;
}

}  // namespace engine::mujoco::robotics
