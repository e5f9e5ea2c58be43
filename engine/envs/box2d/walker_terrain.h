// The ground on which the walker walks, and the clouds above it: what Gymnasium 1.4.0's
// BipedalWalker draws from the same random numbers. Plain data; pure functions.
#ifndef ENGINE_ENVS_BOX2D_WALKER_TERRAIN_H_
#define ENGINE_ENVS_BOX2D_WALKER_TERRAIN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/rng.h"
#include "engine/envs/box2d/viewport.h"

namespace engine::box2d {

struct Point {
  double x = 0.0;  // m
  double y = 0.0;
};

struct WalkerTerrain {
  static constexpr int kColumns = 200;
  static constexpr double kColumnWidth = 14.0 / kScale;          // m
  static constexpr double kHeight = kViewHeight / kScale / 4.0;  // m, of level ground
  static constexpr int kStartColumns = 20;                       // level
  static constexpr int kGrassColumns = 10;
  static constexpr int kClouds = 10;
  static constexpr int kCloudPoints = 5;

  // Two for a pit of at least 10 columns with the grass before it, and fewer per column of others.
  static constexpr int kMaxObstacles = 48;

  using Obstacle = std::array<Point, 4>;

  std::span<const Obstacle> Obstacles() const {
    return {obstacles.data(), static_cast<std::size_t>(obstacle_count)};
  }

  // The profile, without and (`hardcore`) with pits, stumps and stairs.
  void Generate(bool hardcore, Rng& rng);
  // Nothing but pictures depends on clouds, but they use up random numbers.
  void GenerateClouds(Rng& rng);

  static double X(int column) { return column * kColumnWidth; }

  std::array<double, kColumns> y{};
  std::array<Obstacle, kMaxObstacles> obstacles{};
  int obstacle_count = 0;
  std::array<Point, kClouds * kCloudPoints> clouds{};
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_WALKER_TERRAIN_H_
