#include "engine/envs/minigrid/tiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "engine/base/fork_lock.h"

namespace engine::minigrid {
namespace {

// Each pixel is the mean of a square of points with this many points on each side.
constexpr int kSubdivisions = 3;

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};
constexpr Rgb kBlack;
constexpr Rgb kLines{100, 100, 100};

Rgb RgbOf(Color color) {
  constexpr std::array<Rgb, kNumColors> kColors = {
      {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {112, 39, 195}, {255, 255, 0}, {100, 100, 100}}};
  return kColors[static_cast<std::size_t>(color)];
}

Rgb Scaled(Rgb colour, double by) {
  const auto scale = [by](std::uint8_t value) { return static_cast<std::uint8_t>(by * value); };
  return {scale(colour.red), scale(colour.green), scale(colour.blue)};
}

// A picture of (side, side) points. Coordinates of shapes are fractions of the side.
class Canvas {
 public:
  explicit Canvas(int side)
      : side_(side), points_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {}

  template <class Contains>
  void Fill(Rgb colour, const Contains& contains) {
    for (int row = 0; row < side_; ++row) {
      for (int column = 0; column < side_; ++column) {
        if (contains((column + 0.5) / side_, (row + 0.5) / side_)) At(row, column) = colour;
      }
    }
  }
  void Rectangle(double left, double right, double top, double bottom, Rgb colour) {
    Fill(colour,
         [=](double x, double y) { return x >= left && x <= right && y >= top && y <= bottom; });
  }
  void Circle(double x0, double y0, double radius, Rgb colour) {
    Fill(colour, [=](double x, double y) {
      return (x - x0) * (x - x0) + (y - y0) * (y - y0) <= radius * radius;
    });
  }
  void Line(double x0, double y0, double x1, double y1, double radius, Rgb colour);
  void Agent(int direction);
  void Highlight();
  // Writes the picture, scaled down by kSubdivisions.
  void Shrink(std::uint8_t* rgb) const;

 private:
  Rgb& At(int row, int column) {
    return points_[static_cast<std::size_t>(row) * static_cast<std::size_t>(side_) +
                   static_cast<std::size_t>(column)];
  }
  const Rgb& At(int row, int column) const { return const_cast<Canvas*>(this)->At(row, column); }

  int side_;
  std::vector<Rgb> points_;
};

// As in the reference, ends of lines and corners of the agent are float32, and points are float64.
void Canvas::Line(double x0, double y0, double x1, double y1, double radius, Rgb colour) {
  const float ax = static_cast<float>(x0);
  const float ay = static_cast<float>(y0);
  float dx = static_cast<float>(x1) - ax;
  float dy = static_cast<float>(y1) - ay;
  const float length = std::sqrt(std::fma(dy, dy, dx * dx));
  dx /= length;
  dy /= length;
  const double left = std::min(x0, x1) - radius;
  const double right = std::max(x0, x1) + radius;
  const double top = std::min(y0, y1) - radius;
  const double bottom = std::max(y0, y1) + radius;
  Fill(colour, [=](double x, double y) {
    if (x < left || x > right || y < top || y > bottom) return false;
    const double along = std::clamp((x - ax) * dx + (y - ay) * dy, 0.0, double{length});
    const double off_x = x - (ax + along * dx);
    const double off_y = y - (ay + along * dy);
    return std::sqrt(off_x * off_x + off_y * off_y) <= radius;
  });
}

void Canvas::Agent(int direction) {
  constexpr float kAx = 0.12F, kAy = 0.19F, kBx = 0.87F, kBy = 0.50F, kCx = 0.12F, kCy = 0.81F;
  const double angle = 0.5 * std::numbers::pi * direction;
  const double cosine = std::cos(-angle);
  const double sine = std::sin(-angle);
  constexpr float kV0x = kCx - kAx, kV0y = kCy - kAy, kV1x = kBx - kAx, kV1y = kBy - kAy;
  constexpr float kDot00 = kV0x * kV0x + kV0y * kV0y;
  constexpr float kDot01 = kV0x * kV1x + kV0y * kV1y;
  constexpr float kDot11 = kV1x * kV1x + kV1y * kV1y;
  constexpr float kInverse = 1 / (kDot00 * kDot11 - kDot01 * kDot01);
  Fill({255, 0, 0}, [=](double px, double py) {
    const double x = px - 0.5;
    const double y = py - 0.5;
    const double v2x = 0.5 + x * cosine - y * sine - kAx;
    const double v2y = 0.5 + y * cosine + x * sine - kAy;
    const double dot02 = kV0x * v2x + kV0y * v2y;
    const double dot12 = kV1x * v2x + kV1y * v2y;
    const double u = (kDot11 * dot02 - kDot01 * dot12) * kInverse;
    const double v = (kDot00 * dot12 - kDot01 * dot02) * kInverse;
    return u >= 0 && v >= 0 && u + v < 1;
  });
}

void Canvas::Highlight() {
  const auto lighten = [](std::uint8_t& value) {
    value = static_cast<std::uint8_t>(std::min(value + 0.30 * (255 - value), 255.0));
  };
  for (Rgb& point : points_) {
    lighten(point.red);
    lighten(point.green);
    lighten(point.blue);
  }
}

void Canvas::Shrink(std::uint8_t* rgb) const {
  const int side = side_ / kSubdivisions;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      for (std::uint8_t Rgb::* channel : {&Rgb::red, &Rgb::green, &Rgb::blue}) {
        // The mean of each row, then the mean of these means, as in the reference. The order
        // matters, because the means are not exact in float64.
        double total = 0;
        for (int i = 0; i < kSubdivisions; ++i) {
          double sum = 0;
          for (int k = 0; k < kSubdivisions; ++k) {
            sum += At(row * kSubdivisions + i, column * kSubdivisions + k).*channel;
          }
          total += sum / kSubdivisions;
        }
        *rgb++ = static_cast<std::uint8_t>(total / kSubdivisions);
      }
    }
  }
}

void DrawLava(Canvas& canvas) {
  constexpr double kWidth = 0.03;
  canvas.Rectangle(0, 1, 0, 1, {255, 128, 0});
  for (int i = 0; i < 3; ++i) {
    const double low = 0.3 + 0.2 * i;
    const double high = 0.4 + 0.2 * i;
    canvas.Line(0.1, low, 0.3, high, kWidth, kBlack);
    canvas.Line(0.3, high, 0.5, low, kWidth, kBlack);
    canvas.Line(0.5, low, 0.7, high, kWidth, kBlack);
    canvas.Line(0.7, high, 0.9, low, kWidth, kBlack);
  }
}

void DrawDoor(Canvas& canvas, Rgb colour, std::uint8_t state) {
  if (state == kDoorOpen) {
    canvas.Rectangle(0.88, 1.00, 0.00, 1.00, colour);
    canvas.Rectangle(0.92, 0.96, 0.04, 0.96, kBlack);
  } else if (state == kDoorLocked) {
    canvas.Rectangle(0.00, 1.00, 0.00, 1.00, colour);
    canvas.Rectangle(0.06, 0.94, 0.06, 0.94, Scaled(colour, 0.45));
    canvas.Rectangle(0.52, 0.75, 0.50, 0.56, colour);
  } else {
    canvas.Rectangle(0.00, 1.00, 0.00, 1.00, colour);
    canvas.Rectangle(0.04, 0.96, 0.04, 0.96, kBlack);
    canvas.Rectangle(0.08, 0.92, 0.08, 0.92, colour);
    canvas.Rectangle(0.12, 0.88, 0.12, 0.88, kBlack);
    canvas.Circle(0.75, 0.50, 0.08, colour);
  }
}

void DrawObject(Canvas& canvas, Code code) {
  const Rgb colour = RgbOf(ColorOf(code));
  switch (TypeOf(code)) {
    case Type::kWall:
    case Type::kGoal:
      return canvas.Rectangle(0, 1, 0, 1, colour);
    case Type::kFloor:
      return canvas.Rectangle(0.031, 1, 0.031, 1, Scaled(colour, 0.5));
    case Type::kDoor:
      return DrawDoor(canvas, colour, StateOf(code));
    case Type::kKey:
      canvas.Rectangle(0.50, 0.63, 0.31, 0.88, colour);
      canvas.Rectangle(0.38, 0.50, 0.59, 0.66, colour);
      canvas.Rectangle(0.38, 0.50, 0.81, 0.88, colour);
      canvas.Circle(0.56, 0.28, 0.190, colour);
      return canvas.Circle(0.56, 0.28, 0.064, kBlack);
    case Type::kBall:
      return canvas.Circle(0.5, 0.5, 0.31, colour);
    case Type::kBox:
      canvas.Rectangle(0.12, 0.88, 0.12, 0.88, colour);
      canvas.Rectangle(0.18, 0.82, 0.18, 0.82, kBlack);
      return canvas.Rectangle(0.16, 0.84, 0.47, 0.53, colour);
    case Type::kLava:
      return DrawLava(canvas);
    case Type::kUnseen:
    case Type::kEmpty:
    case Type::kAgent:
      return;
  }
}

}  // namespace

std::mutex& TileAtlas::Mutex() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

TileAtlas& TileAtlas::Get(int tile_size) {
  static auto* const atlases = new std::map<int, std::unique_ptr<TileAtlas>>;
  HoldDuringFork<Mutex>();
  const std::lock_guard lock(Mutex());
  std::unique_ptr<TileAtlas>& atlas = (*atlases)[tile_size];
  if (atlas == nullptr) atlas = std::make_unique<TileAtlas>(tile_size);
  return *atlas;
}

TileAtlas::TileAtlas(int tile_size) : tile_size_(tile_size) {}

const std::uint8_t* TileAtlas::Draw(std::size_t index, Code code, int agent, bool highlight) {
  const std::lock_guard lock(Mutex());
  if (memory_[index] == nullptr) {
    Canvas canvas(tile_size_ * kSubdivisions);
    canvas.Rectangle(0, 0.031, 0, 1, kLines);
    canvas.Rectangle(0, 1, 0, 0.031, kLines);
    DrawObject(canvas, code);
    if (agent != kNoAgent) canvas.Agent(agent);
    if (highlight) canvas.Highlight();
    const auto side = static_cast<std::size_t>(tile_size_);
    memory_[index] = std::make_unique_for_overwrite<std::uint8_t[]>(side * side * 3);
    canvas.Shrink(memory_[index].get());
    // Pairs with the acquire load in Tile.
    tiles_[index].store(memory_[index].get(), std::memory_order_release);
  }
  return memory_[index].get();
}

}  // namespace engine::minigrid
