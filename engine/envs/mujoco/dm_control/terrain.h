// The terrain of the quadruped's escape: a bowl with random smooth bumps. A cubic spline
// interpolates between random heights, as in scipy.ndimage.zoom. Made once for a pool; any thread.
//
// The method is that of M. Unser, A. Aldroubi, M. Eden: B-spline signal processing, part I and II,
// IEEE Transactions on Signal Processing 41 (1993), with mirrored boundaries. The order of
// operations is that of SciPy 1.x, so that results are bit-equal.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_TERRAIN_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_TERRAIN_H_

#include <array>
#include <cstddef>
#include <vector>

#include "engine/base/random_state.h"

namespace engine::mujoco::suite {

class Terrain {
 public:
  // A terrain has `size` x `size` heights, from `bumps` x `bumps` random heights. Requires: both
  // are at least 4.
  Terrain(std::size_t size, std::size_t bumps);

  // Draws a terrain and writes size * size heights in [0, 1], row by row. `scratch` keeps its
  // memory for the next call.
  void Draw(RandomState& random, std::vector<double>& scratch, float* heights) const;

 private:
  static constexpr std::size_t kOrder = 3;

  // The indices and weights of the four random heights that give one coordinate of the result.
  struct Sample {
    bool is_inside;  // otherwise the interpolation is 0
    std::array<std::size_t, kOrder + 1> indices;
    std::array<double, kOrder + 1> weights;
  };

  Sample SampleAt(double coordinate) const;
  double Interpolate(const std::vector<double>& coefficients, const Sample& row,
                     const Sample& column) const;

  std::size_t size_;
  std::size_t bumps_;
  std::vector<Sample> samples_;  // for each row or column
  std::vector<double> bowl_;     // size_ * size_
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_TERRAIN_H_
