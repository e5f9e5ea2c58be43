// The ground of the bipedal walker and the clouds above it, generated from the same random numbers
// as in Gymnasium 1.4.0's BipedalWalker. Plain data; pure functions.
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
  static constexpr double kHeight = kViewHeight / kScale / 4.0;  // m, height of level ground
  static constexpr int kStartColumns = 20;                       // level columns at the start
  static constexpr int kGrassColumns = 10;
  static constexpr int kClouds = 10;
  static constexpr int kCloudPoints = 5;

  // A pit adds two obstacles and, with the grass before it, takes at least 10 columns. Other kinds
  // of ground add fewer obstacles per column.
  static constexpr int kMaxObstacles = 48;

  using Obstacle = std::array<Point, 4>;

  std::span<const Obstacle> Obstacles() const {
    return {obstacles.data(), static_cast<std::size_t>(obstacle_count)};
  }

  // Generates the profile, with pits, stumps and stairs if `hardcore`.
  void Generate(bool hardcore, Rng& rng);
  // Generates the clouds. Only pictures show them, but they use random numbers.
  void GenerateClouds(Rng& rng);

  static double X(int column) { return column * kColumnWidth; }

  std::array<double, kColumns> y{};
  std::array<Obstacle, kMaxObstacles> obstacles{};
  int obstacle_count = 0;
  std::array<Point, kClouds * kCloudPoints> clouds{};
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_WALKER_TERRAIN_H_
