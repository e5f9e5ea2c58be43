// See the header.
#include "engine/envs/mujoco/dm_control/terrain.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/numpy_kernels.h"

namespace engine::mujoco::suite {
namespace {

// The pole of the filter that converts samples to coefficients of a cubic spline: sqrt(3) - 2.
constexpr double kPole = -0.267949192431122706472553658494127633;

// Filters `n` values at distance `stride`, forward and then backward. Beyond the ends, the values
// continue as their mirror image.
void FilterLine(double* first, std::size_t n, std::size_t stride) {
  constexpr double kGain = (1.0 - kPole) * (1.0 - 1.0 / kPole);
  const auto at = [&](std::size_t i) -> double& { return first[i * stride]; };
  for (std::size_t i = 0; i < n; ++i) at(i) *= kGain;

  const double last_power = std::pow(kPole, static_cast<double>(n - 1));
  double power = kPole;
  at(0) = at(0) + last_power * at(n - 1);
  for (std::size_t i = 1; i < n - 1; ++i) {
    at(0) += power * (at(i) + last_power * at(n - 1 - i));
    power *= kPole;
  }
  at(0) /= 1.0 - last_power * last_power;
  for (std::size_t i = 1; i < n; ++i) at(i) += kPole * at(i - 1);

  at(n - 1) = (kPole * at(n - 2) + at(n - 1)) * kPole / (kPole * kPole - 1.0);
  for (std::size_t i = n - 1; i-- > 0;) at(i) = kPole * (at(i + 1) - at(i));
}

// Returns the index of a value beyond the ends, reflected about the first or the last value.
std::size_t Mirrored(std::ptrdiff_t index, std::size_t n) {
  const auto last = static_cast<std::ptrdiff_t>(n) - 1;
  if (index < 0) index = -index;
  if (index > last) index = 2 * last - index;
  return static_cast<std::size_t>(index);
}

}  // namespace

Terrain::Terrain(std::size_t size, std::size_t bumps) : size_(size), bumps_(bumps) {
  const double zoom = static_cast<double>(bumps - 1) / static_cast<double>(size - 1);
  for (std::size_t i = 0; i < size; ++i) {
    samples_.push_back(SampleAt(static_cast<double>(i) * zoom));
  }
  // The bowl is a sinusoid of the distance from the centre of a square with sides of length 2.
  const double step = 2.0 / static_cast<double>(size - 1);
  const auto coordinate = [&](std::size_t i) { return static_cast<double>(i) * step + -1.0; };
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      const double x = coordinate(column);
      const double y = coordinate(row);
      const double radius = std::clamp(std::sqrt(x * x + y * y), 0.04, 1.0);
      bowl_.push_back(0.5 - NumpyCos(2.0 * std::numbers::pi * radius) / 2.0);
    }
  }
}

Terrain::Sample Terrain::SampleAt(double coordinate) const {
  Sample sample{};
  sample.is_inside = coordinate <= static_cast<double>(bumps_ - 1);
  if (!sample.is_inside) return sample;
  const double whole = std::floor(coordinate);
  const double y = coordinate - whole;
  const double z = 1.0 - y;
  std::array<double, kOrder + 1>& weights = sample.weights;
  weights[1] = (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0;
  weights[2] = (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0;
  weights[0] = z * z * z / 6.0;
  weights[3] = 1.0 - weights[0] - weights[1] - weights[2];  // the weights add up to 1
  const auto first = static_cast<std::ptrdiff_t>(whole) - 1;
  for (std::size_t i = 0; i <= kOrder; ++i) {
    sample.indices[i] = Mirrored(first + static_cast<std::ptrdiff_t>(i), bumps_);
  }
  return sample;
}

double Terrain::Interpolate(const std::vector<double>& coefficients, const Sample& row,
                            const Sample& column) const {
  if (!row.is_inside || !column.is_inside) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i <= kOrder; ++i) {
    const double* const line = &coefficients[row.indices[i] * bumps_];
    for (std::size_t j = 0; j <= kOrder; ++j) {
      sum += line[column.indices[j]] * row.weights[i] * column.weights[j];
    }
  }
  return sum;
}

void Terrain::Draw(RandomState& random, std::vector<double>& scratch, float* heights) const {
  constexpr double kSmoothness = 0.15;  // 1: no bumps
  scratch.resize(bumps_ * bumps_);
  for (double& bump : scratch) bump = random.Uniform(kSmoothness, 1.0);
  for (std::size_t column = 0; column < bumps_; ++column) {
    FilterLine(&scratch[column], bumps_, bumps_);
  }
  for (std::size_t row = 0; row < bumps_; ++row) FilterLine(&scratch[row * bumps_], bumps_, 1);
  for (std::size_t row = 0; row < size_; ++row) {
    for (std::size_t column = 0; column < size_; ++column) {
      const std::size_t i = row * size_ + column;
      heights[i] =
          static_cast<float>(bowl_[i] * Interpolate(scratch, samples_[row], samples_[column]));
    }
  }
}

}  // namespace engine::mujoco::suite
