#include "engine/envs/box2d/walker_terrain.h"

#include <cmath>

#include "engine/base/check.h"

namespace engine::box2d {
namespace {

constexpr double kColumn = WalkerTerrain::kColumnWidth;

enum class Ground : std::uint8_t { kGrass, kStump, kStairs, kPit, kKinds };

double Sign(double value) { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; }

// Generates the ground column by column from the left. Each kind of ground extends over some
// columns.
class Generator {
 public:
  Generator(WalkerTerrain& terrain, bool hardcore, Rng& rng)
      : terrain_(terrain), hardcore_(hardcore), rng_(rng) {}

  void Run() {
    for (int column = 0; column < WalkerTerrain::kColumns; ++column) {
      const double x = WalkerTerrain::X(column);
      if (ground_ == Ground::kGrass) {
        if (!begins_) Grass(column);
      } else if (begins_) {
        Begin(x);
      } else {
        Continue();
      }
      begins_ = false;
      terrain_.y[static_cast<std::size_t>(column)] = y_;
      if (--left_ == 0) Next();
    }
  }

 private:
  void Next() {
    left_ = rng_.Integers(WalkerTerrain::kGrassColumns / 2, WalkerTerrain::kGrassColumns);
    ground_ = ground_ == Ground::kGrass && hardcore_
                  ? static_cast<Ground>(rng_.Integers(1, static_cast<std::int64_t>(Ground::kKinds)))
                  : Ground::kGrass;
    begins_ = true;
  }

  void Grass(int column) {
    slope_ = 0.8 * slope_ + 0.01 * Sign(WalkerTerrain::kHeight - y_);
    if (column > WalkerTerrain::kStartColumns) slope_ += rng_.Uniform(-1.0, 1.0) / kScale;
    y_ += slope_;
  }

  void AddObstacle(const WalkerTerrain::Obstacle& obstacle) {
    ENGINE_CHECK(terrain_.obstacle_count < WalkerTerrain::kMaxObstacles);
    terrain_.obstacles[static_cast<std::size_t>(terrain_.obstacle_count++)] = obstacle;
  }

  void Begin(double x) {
    if (ground_ == Ground::kPit) return BeginPit(x);
    if (ground_ == Ground::kStump) return BeginStump(x);
    BeginStairs(x);
  }

  // Adds the two walls of a pit. The distance between them is the width of the pit.
  void BeginPit(double x) {
    left_ = rng_.Integers(3, 5);
    const double bottom = y_ - 4.0 * kColumn;
    WalkerTerrain::Obstacle wall{{{x, y_}, {x + kColumn, y_}, {x + kColumn, bottom}, {x, bottom}}};
    AddObstacle(wall);
    for (Point& point : wall) point.x += kColumn * static_cast<double>(left_);
    AddObstacle(wall);
    left_ += 2;
    first_y_ = y_;
  }

  void BeginStump(double x) {
    left_ = rng_.Integers(1, 3);
    const double size = static_cast<double>(left_) * kColumn;
    AddObstacle({{{x, y_}, {x + size, y_}, {x + size, y_ + size}, {x, y_ + size}}});
  }

  void BeginStairs(double x) {
    rise_ = rng_.Random() > 0.5 ? 1.0 : -1.0;
    width_ = static_cast<double>(rng_.Integers(4, 5));
    const std::int64_t steps = rng_.Integers(3, 5);
    first_y_ = y_;
    for (std::int64_t i = 0; i < steps; ++i) {
      const double s = static_cast<double>(i);
      const double left = x + (s * width_) * kColumn;
      const double right = x + ((1.0 + s) * width_) * kColumn;
      const double top = y_ + (s * rise_) * kColumn;
      const double bottom = y_ + (-1.0 + s * rise_) * kColumn;
      AddObstacle({{{left, top}, {right, top}, {right, bottom}, {left, bottom}}});
    }
    columns_ = static_cast<double>(steps) * width_;
    left_ = static_cast<std::int64_t>(columns_);
  }

  void Continue() {
    if (ground_ == Ground::kPit) {
      y_ = first_y_;
      if (left_ > 1) y_ -= 4.0 * kColumn;
    } else if (ground_ == Ground::kStairs) {
      const double n = (columns_ - static_cast<double>(left_) - rise_) / width_;
      y_ = first_y_ + (n * rise_) * kColumn;
    }
  }

  WalkerTerrain& terrain_;
  bool hardcore_;
  Rng& rng_;
  Ground ground_ = Ground::kGrass;
  bool begins_ = false;
  std::int64_t left_ = WalkerTerrain::kStartColumns;  // remaining columns of this kind of ground
  double y_ = WalkerTerrain::kHeight;
  double slope_ = 0.0;  // m per column
  double first_y_ = 0.0;
  double rise_ = 0.0;     // direction of the stairs: 1 up, -1 down
  double width_ = 0.0;    // columns of a stair
  double columns_ = 0.0;  // columns of all stairs
};

}  // namespace

void WalkerTerrain::Generate(bool hardcore, Rng& rng) {
  obstacle_count = 0;
  Generator(*this, hardcore, rng).Run();
}

void WalkerTerrain::GenerateClouds(Rng& rng) {
  for (int cloud = 0; cloud < kClouds; ++cloud) {
    const double x = rng.Uniform(0.0, kColumns) * kColumnWidth;
    const double center_y = kViewHeight / kScale * 3.0 / 4.0;
    for (int a = 0; a < kCloudPoints; ++a) {
      const double angle = 3.14 * 2.0 * a / 5.0;
      Point& point = clouds[static_cast<std::size_t>(cloud * kCloudPoints + a)];
      point.x = x + 15.0 * kColumnWidth * std::sin(angle) + rng.Uniform(0.0, 5.0 * kColumnWidth);
      point.y =
          center_y + 5.0 * kColumnWidth * std::cos(angle) + rng.Uniform(0.0, 5.0 * kColumnWidth);
    }
  }
}

}  // namespace engine::box2d
