// The arithmetic in this file is that of pygame: integers, 16.16 fixed point to fill polygons, and
// float32 to clip lines. The arithmetic determines which pixels are drawn, so it must not be
// simplified.
#include "engine/envs/box2d/pixel_surface.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace engine::box2d {
namespace {

constexpr std::size_t kMaxCorners = 16;

// An edge of a polygon, from its upper to its lower end. The y axis points downwards.
struct Edge {
  int x1, y1, x2, y2;
};

// The edges of a polygon that are not horizontal, in the order of the corners. The first edge is
// the edge from the last corner to the first corner.
struct Edges {
  explicit Edges(std::span<const Pixel> corners) : top(corners[0].y), bottom(corners[0].y) {
    Pixel from = corners.back();
    for (const Pixel to : corners) {
      top = std::min(top, to.y);
      bottom = std::max(bottom, to.y);
      if (from.y < to.y) all[count++] = {from.x, from.y, to.x, to.y};
      if (from.y > to.y) all[count++] = {to.x, to.y, from.x, from.y};
      from = to;
    }
  }
  std::span<const Edge> edges() const { return {all.data(), count}; }

  int top;
  int bottom;
  std::size_t count = 0;
  std::array<Edge, kMaxCorners> all;
};

// Whether row y crosses the edge. The lower end of the edge counts only in the last row of the
// polygon.
bool Crosses(const Edge& edge, int y, int bottom) {
  return (y >= edge.y1 && y < edge.y2) || (y == bottom && edge.y2 == bottom);
}

// Rounds a 16.16 number to the nearest integer. Ties round upwards.
int Round16(std::int64_t value) {
  return static_cast<int>((value >> 16) + ((value & 0x8000) >> 15));
}

void SortFew(std::int64_t* values, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    const std::int64_t value = values[i];
    std::size_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

std::uint8_t BlendChannel(int below, int above, int alpha) {
  return static_cast<std::uint8_t>(below + (((above - below) * alpha) >> 8));
}

}  // namespace

PixelSurface::PixelSurface()
    : numbers_(static_cast<std::size_t>(kStride) * kHeight), blended_(numbers_.size()) {}

void PixelSurface::Clear(std::uint8_t number) {
  std::fill(numbers_.begin(), numbers_.end(), number);
}

void PixelSurface::SetDrawnRows(int first, int last) {
  first_row_ = std::max(first, 0);
  last_row_ = std::min(last, kHeight - 1);
}

void PixelSurface::FillRow(int x1, int x2, int y, std::uint8_t number) {
  if (y < first_row_ || y > last_row_) return;
  if (x1 > x2) std::swap(x1, x2);
  x1 = std::max(x1, 0);
  x2 = std::min(x2, kWidth - 1);
  if (x1 > x2) return;
  std::memset(&numbers_[Offset(x1, y)], number, static_cast<std::size_t>(x2 - x1 + 1));
}

void PixelSurface::Plot(int x, int y, std::uint8_t number) {
  if (IsDrawn(x, y)) numbers_[Offset(x, y)] = number;
}

void PixelSurface::AddPixel(int x, int y, Rgb color) {
  if (!IsDrawn(x, y)) return;
  const std::size_t at = Offset(x, y);
  const Rgb below = numbers_[at] == kBlended ? blended_[at] : colors_[numbers_[at]];
  numbers_[at] = kBlended;
  const auto either = [](int a, int b) { return static_cast<std::uint8_t>(a | b); };
  blended_[at] = {either(below.r, color.r), either(below.g, color.g), either(below.b, color.b)};
}

void PixelSurface::Blend(int x, int y, std::uint8_t number, int alpha) {
  if (!IsDrawn(x, y)) return;
  const std::size_t at = Offset(x, y);
  if (numbers_[at] == number) return;
  const Rgb below = numbers_[at] == kBlended ? blended_[at] : colors_[numbers_[at]];
  const Rgb above = colors_[number];
  numbers_[at] = kBlended;
  blended_[at] = {BlendChannel(below.r, above.r, alpha), BlendChannel(below.g, above.g, alpha),
                  BlendChannel(below.b, above.b, alpha)};
}

namespace {

// Computes 65536 * (y - y1) / (y2 - y1), rounded down, for consecutive rows y of an edge.
class EdgeWalk {
 public:
  EdgeWalk() = default;
  EdgeWalk(const Edge& edge, int y) : edge_(edge), height_(edge.y2 - edge.y1) {
    const int walked = 65536 * std::max(y - edge.y1, 0);
    part_ = walked / height_;
    rest_ = walked % height_;
    step_ = 65536 / height_;
    step_rest_ = 65536 % height_;
  }
  const Edge& edge() const { return edge_; }
  std::int64_t Crossing() const {
    return std::int64_t{part_} * (edge_.x2 - edge_.x1) + 65536 * std::int64_t{edge_.x1};
  }
  void Advance() {
    part_ += step_;
    rest_ += step_rest_;
    if (rest_ >= height_) {
      rest_ -= height_;
      ++part_;
    }
  }

 private:
  Edge edge_;
  int height_;
  int part_;
  int rest_;
  int step_;
  int step_rest_;
};

}  // namespace

void PixelSurface::FillPolygon(std::span<const Pixel> corners, std::uint8_t number) {
  const Edges polygon(corners);
  const int first = std::max(polygon.top, first_row_);
  const int last = std::min(polygon.bottom, last_row_);
  if (first > last) return;
  std::array<EdgeWalk, kMaxCorners> walks;
  std::size_t walk_count = 0;
  for (const Edge& edge : polygon.edges()) {
    if (edge.y2 >= first) walks[walk_count++] = EdgeWalk(edge, first);
  }
  std::array<std::int64_t, kMaxCorners> crossings;
  for (int y = first; y <= last; ++y) {
    std::size_t count = 0;
    for (EdgeWalk& walk : std::span(walks.data(), walk_count)) {
      if (y < walk.edge().y1) continue;
      if (Crosses(walk.edge(), y, polygon.bottom)) crossings[count++] = walk.Crossing();
      walk.Advance();
    }
    SortFew(crossings.data(), count);
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      FillRow(Round16(crossings[i] + 1), Round16(crossings[i + 1] - 1), y, number);
    }
  }
}

void PixelSurface::DrawPolygon(std::span<const Pixel> corners, std::uint8_t number) {
  const Edges polygon(corners);
  if (polygon.top == polygon.bottom) {
    const auto [low, high] = std::minmax_element(corners.begin(), corners.end(),
                                                 [](Pixel a, Pixel b) { return a.x < b.x; });
    FillRow(low->x, high->x, polygon.top, number);
    return;
  }
  std::array<std::int64_t, kMaxCorners> crossings;
  const int last = std::min(polygon.bottom, last_row_);
  for (int y = std::max(polygon.top, first_row_); y <= last; ++y) {
    std::size_t count = 0;
    for (const Edge& edge : polygon.edges()) {
      if (!Crosses(edge, y, polygon.bottom)) continue;
      const float way = static_cast<float>((y - edge.y1) * (edge.x2 - edge.x1)) /
                        static_cast<float>(edge.y2 - edge.y1);
      const float rounded = count % 2 == 0 ? std::floor(way) : std::ceil(way);
      crossings[count++] = static_cast<int>(rounded) + edge.x1;
    }
    SortFew(crossings.data(), count);
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      FillRow(static_cast<int>(crossings[i]), static_cast<int>(crossings[i + 1]), y, number);
    }
  }
  // Draws the horizontal edges between the first and the last row, which the loop above does not
  // cross.
  Pixel from = corners.back();
  for (const Pixel to : corners) {
    if (polygon.top < to.y && from.y == to.y && to.y < polygon.bottom) {
      FillRow(to.x, from.x, to.y, number);
    }
    from = to;
  }
}

// Clips a line by the algorithm of Cohen and Sutherland, with the rounding of SDL_gfx. Returns
// false if the whole line is outside.
bool PixelSurface::ClipLine(Line& line) {
  enum : int { kLeft = 1, kRight = 2, kBottom = 4, kTop = 8 };
  const auto outside = [](int x, int y) {
    const int horizontal = x < 0 ? kLeft : x >= kWidth ? kRight : 0;
    return horizontal | (y < 0 ? kTop : y >= kHeight ? kBottom : 0);
  };
  // Coordinates have 16 bits in SDL_gfx.
  const auto cut = [](float value) {
    return static_cast<int>(static_cast<std::int16_t>(static_cast<int>(value)));
  };
  while (true) {
    int first = outside(line.x1, line.y1);
    const int second = outside(line.x2, line.y2);
    if ((first | second) == 0) return true;
    if ((first & second) != 0) return false;
    if (first == 0) {
      std::swap(line.x1, line.x2);
      std::swap(line.y1, line.y2);
      first = second;
    }
    const bool upright = line.x1 == line.x2;
    const float slope =
        upright ? 1.0f
                : static_cast<float>(line.y2 - line.y1) / static_cast<float>(line.x2 - line.x1);
    if ((first & (kLeft | kRight)) != 0) {
      const int side = (first & kLeft) != 0 ? 0 : kWidth - 1;
      line.y1 += cut(static_cast<float>(side - line.x1) * slope);
      line.x1 = side;
    } else {
      const int side = (first & kBottom) != 0 ? kHeight - 1 : 0;
      if (!upright) line.x1 += cut(static_cast<float>(side - line.y1) / slope);
      line.y1 = side;
    }
  }
}

void PixelSurface::DrawAntialiasedOutline(std::span<const Pixel> corners, std::uint8_t number) {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Pixel from = corners[i];
    const Pixel to = corners[(i + 1) % corners.size()];
    DrawAntialiasedLine({from.x, from.y, to.x, to.y}, number);
  }
}

// Draws a line by Wu's algorithm, without its last pixel, which the next line of the outline draws.
void PixelSurface::DrawAntialiasedLine(Line line, std::uint8_t number) {
  if (!ClipLine(line)) return;
  const Pixel start{line.x1, line.y1};
  if (line.y1 > line.y2) {
    std::swap(line.x1, line.x2);
    std::swap(line.y1, line.y2);
  }
  const int dx = line.x2 - line.x1;
  const int dy = line.y2 - line.y1;
  if (dx == 0) {
    for (int y = line.y1; y <= line.y2; ++y) Plot(line.x1, y, number);
    return;
  }
  if (dy == 0) {
    FillRow(line.x1, line.x2, line.y1, number);
    return;
  }
  Plot(start.x, start.y, number);
  const int step = dx > 0 ? 1 : -1;
  if (dy > std::abs(dx)) {
    DrawSteep(line, std::abs(dx), dy, step, number);
  } else {
    DrawFlat(line, std::abs(dx), dy, step, number);
  }
}

// Weights are multiplied by 255 / 256, so alpha is at most 254.
void PixelSurface::DrawSteep(Line line, int dx, int dy, int step, std::uint8_t number) {
  const std::uint32_t slope = static_cast<std::uint32_t>((dx << 16) / dy) << 16;
  std::uint32_t error = 0;
  int x = line.x1;
  for (int y = line.y1 + 1; y < line.y2; ++y) {
    const std::uint32_t before = error;
    error += slope;
    if (error <= before) x += step;
    const int weight = static_cast<int>(error >> 24);
    Blend(x, y, number, (255 * (255 - weight)) >> 8);
    Blend(x + step, y, number, (255 * weight) >> 8);
  }
}

void PixelSurface::DrawFlat(Line line, int dx, int dy, int step, std::uint8_t number) {
  const std::uint32_t slope = static_cast<std::uint32_t>((dy << 16) / dx) << 16;
  std::uint32_t error = 0;
  int x = line.x1;
  int y = line.y1;
  for (int i = 1; i < dx; ++i) {
    const std::uint32_t before = error;
    error += slope;
    if (error <= before) ++y;
    x += step;
    const int weight = static_cast<int>(error >> 24);
    Blend(x, y, number, (255 * (255 - weight)) >> 8);
    Blend(x, y + 1, number, (255 * weight) >> 8);
  }
}

void PixelSurface::DrawLines(std::span<const Pixel> points, std::uint8_t number) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    DrawThickLine({points[i - 1].x, points[i - 1].y, points[i].x, points[i].y}, number);
  }
}

// Draws a line by Bresenham's algorithm, with a second pixel to the right of each pixel or below
// it.
void PixelSurface::DrawThickLine(Line line, std::uint8_t number) {
  const bool upright = std::abs(line.x1 - line.x2) <= std::abs(line.y1 - line.y2);
  const auto plot = [&](int x, int y) {
    Plot(x, y, number);
    upright ? Plot(x + 1, y, number) : Plot(x, y + 1, number);
  };
  if (line.x1 == line.x2 && line.y1 == line.y2) {
    plot(line.x1, line.y1);
    return;
  }
  const int dx = std::abs(line.x2 - line.x1);
  const int dy = std::abs(line.y2 - line.y1);
  const int step_x = line.x2 > line.x1 ? 1 : -1;
  const int step_y = line.y2 > line.y1 ? 1 : -1;
  int error = (dx > dy ? dx : -dy) / 2;
  int x = line.x1;
  int y = line.y1;
  for (int i = 0; i <= std::max(dx, dy);) {
    plot(x, y);
    const int before = error;
    if (before > -dx) {
      error -= dy;
      x += step_x;
      if (!upright) ++i;
    }
    if (before < dy) {
      error += dx;
      y += step_y;
      if (upright) ++i;
    }
  }
}

}  // namespace engine::box2d
