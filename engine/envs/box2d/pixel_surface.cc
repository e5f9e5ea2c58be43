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

// Most runs are short. GCC compiles memset to an instruction that takes longer to begin than these
// loops take.
void FillBytes(std::uint8_t* at, std::size_t size, std::uint8_t value) {
  using Block [[gnu::vector_size(16)]] = std::uint8_t;
  const Block block = Block{} + value;
  if (size < sizeof block) {
    for (std::size_t i = 0; i < size; ++i) at[i] = value;
    return;
  }
  std::uint8_t* const last = at + size - sizeof block;
  for (; at < last; at += sizeof block) std::memcpy(at, &block, sizeof block);
  std::memcpy(last, &block, sizeof block);
}

void SortFew(std::int64_t* values, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    const std::int64_t value = values[i];
    std::size_t j = i;
    for (; j > 0 && values[j - 1] > value; --j) values[j] = values[j - 1];
    values[j] = value;
  }
}

}  // namespace

PixelSurface::PixelSurface() : numbers_(static_cast<std::size_t>(kStride) * kHeight) {
  for (std::vector<std::uint8_t>& channel : blended_) channel.resize(numbers_.size());
}

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
  FillBytes(&numbers_[Offset(x1, y)], static_cast<std::size_t>(x2 - x1 + 1), number);
}

void PixelSurface::Plot(int x, int y, std::uint8_t number) {
  if (IsDrawn(x, y)) numbers_[Offset(x, y)] = number;
}

void PixelSurface::AddPixel(int x, int y, Rgb color) {
  if (!IsDrawn(x, y)) return;
  const std::size_t at = Offset(x, y);
  const Rgb below = Color(at);
  const auto either = [](int a, int b) { return static_cast<std::uint8_t>(a | b); };
  numbers_[at] = kBlended;
  blended_[0][at] = either(below.r, color.r);
  blended_[1][at] = either(below.g, color.g);
  blended_[2][at] = either(below.b, color.b);
}

// Blends pixels with one color. It holds copies of the surface's pointers, because stores of bytes
// may change whatever is in memory, for all the compiler knows.
class PixelSurface::Blender {
 public:
  Blender(PixelSurface& surface, std::uint8_t number)
      : numbers_(surface.numbers_.data()),
        red_(surface.blended_[0].data()),
        green_(surface.blended_[1].data()),
        blue_(surface.blended_[2].data()),
        colors_(surface.colors_.data()),
        number_(number),
        red_and_blue_(RedAndBlue(surface.colors_[number].r, surface.colors_[number].b)),
        only_green_(surface.colors_[number].g),
        row_step_(surface.upwards_ ? -kStride : kStride) {}

  // The step from one y to the next, in pixels.
  std::ptrdiff_t row_step() const { return row_step_; }

  // Each channel becomes below + (above - below) * alpha / 256, rounded down, which equals the sum
  // of both products divided by 256. One multiplication computes red and blue.
  void Blend(std::size_t at, std::uint32_t alpha) const {
    const std::uint8_t below = numbers_[at];
    if (below == number_) return;
    std::uint32_t red_and_blue;
    std::uint32_t green;
    if (below == kBlended) {
      red_and_blue = RedAndBlue(red_[at], blue_[at]);
      green = green_[at];
    } else {
      const Rgb color = colors_[below];
      red_and_blue = RedAndBlue(color.r, color.b);
      green = color.g;
    }
    red_and_blue = red_and_blue * (256 - alpha) + red_and_blue_ * alpha;
    green = green * (256 - alpha) + only_green_ * alpha;
    numbers_[at] = kBlended;
    red_[at] = static_cast<std::uint8_t>(red_and_blue >> 8);
    green_[at] = static_cast<std::uint8_t>(green >> 8);
    blue_[at] = static_cast<std::uint8_t>(red_and_blue >> 24);
  }

 private:
  static std::uint32_t RedAndBlue(std::uint8_t red, std::uint8_t blue) {
    return red | std::uint32_t{blue} << 16;
  }

  std::uint8_t* numbers_;
  std::uint8_t* red_;
  std::uint8_t* green_;
  std::uint8_t* blue_;
  const Rgb* colors_;
  std::uint8_t number_;
  std::uint32_t red_and_blue_;
  std::uint32_t only_green_;
  std::ptrdiff_t row_step_;
};

// Computes 65536 * (y - y1) / (y2 - y1), rounded down, for consecutive rows y of an edge.
class PixelSurface::EdgeWalk {
 public:
  EdgeWalk() = default;  // without values
  EdgeWalk(const Edge& edge, int y)
      : height_(edge.y2 - edge.y1),
        width_(edge.x2 - edge.x1),
        begin_(65536 * std::int64_t{edge.x1}),
        step_(65536 / height_),
        step_rest_(65536 % height_),
        part_(0),
        rest_(0) {
    if (y == edge.y1) return;
    const int walked = 65536 * (y - edge.y1);
    part_ = walked / height_;
    rest_ = walked % height_;
  }
  std::int64_t Crossing() const { return std::int64_t{part_} * width_ + begin_; }
  void Advance() {
    part_ += step_;
    rest_ += step_rest_;
    if (rest_ >= height_) {
      rest_ -= height_;
      ++part_;
    }
  }

 private:
  int height_;
  int width_;
  std::int64_t begin_;
  int step_;
  int step_rest_;
  int part_;
  int rest_;
};

// Fills the rows [y, end) between two edges. Most polygons have no more edges in a row.
void PixelSurface::FillBetween(EdgeWalk& first, EdgeWalk& second, int y, int end,
                               std::uint8_t number) {
  EdgeWalk one = first;
  EdgeWalk other = second;
  for (; y < end; ++y) {
    const auto [left, right] = std::minmax({one.Crossing(), other.Crossing()});
    FillRow(Round16(left + 1), Round16(right - 1), y, number);
    one.Advance();
    other.Advance();
  }
  first = one;
  second = other;
}

void PixelSurface::FillPolygon(std::span<const Pixel> corners, std::uint8_t number) {
  const Edges polygon(corners);
  const int last = std::min(polygon.bottom, last_row_);
  std::array<EdgeWalk, kMaxCorners> walks;
  std::uint32_t begun = 0;  // a bit for each of `walks` that has values
  std::array<EdgeWalk*, kMaxCorners> crossed;
  std::array<std::int64_t, kMaxCorners> crossings;
  for (int y = std::max(polygon.top, first_row_); y <= last;) {
    // The rows [y, end) cross the same edges.
    int end = y < polygon.bottom ? std::min(last + 1, polygon.bottom) : y + 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < polygon.count; ++i) {
      const Edge& edge = polygon.all[i];
      if (edge.y1 > y) {
        end = std::min(end, edge.y1);
      } else if (Crosses(edge, y, polygon.bottom)) {
        if (edge.y2 > y) end = std::min(end, edge.y2);
        if ((begun >> i & 1) == 0) walks[i] = EdgeWalk(edge, y);
        begun |= 1U << i;
        crossed[count++] = &walks[i];
      }
    }
    if (count == 2) {
      FillBetween(*crossed[0], *crossed[1], y, end, number);
      y = end;
    }
    for (; y < end; ++y) {
      for (std::size_t i = 0; i < count; ++i) {
        crossings[i] = crossed[i]->Crossing();
        crossed[i]->Advance();
      }
      SortFew(crossings.data(), count);
      for (std::size_t i = 0; i + 1 < count; i += 2) {
        FillRow(Round16(crossings[i] + 1), Round16(crossings[i + 1] - 1), y, number);
      }
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
  const bool is_inside = std::min(line.x1, line.x2) > 0 &&
                         std::max(line.x1, line.x2) < kWidth - 1 && line.y1 >= first_row_ &&
                         line.y2 < last_row_;
  const Blender blender(*this, number);
  if (dy > std::abs(dx)) {
    is_inside ? DrawSteep<false>(line, std::abs(dx), dy, step, blender)
              : DrawSteep<true>(line, std::abs(dx), dy, step, blender);
  } else {
    is_inside ? DrawFlat<false>(line, std::abs(dx), dy, step, blender)
              : DrawFlat<true>(line, std::abs(dx), dy, step, blender);
  }
}

// Weights are multiplied by 255 / 256, so alpha is at most 254.
template <bool checks>
void PixelSurface::DrawSteep(Line line, int dx, int dy, int step, Blender blender) {
  const std::uint32_t slope = static_cast<std::uint32_t>((dx << 16) / dy) << 16;
  std::uint32_t error = 0;
  int x = line.x1;
  std::size_t row = Offset(0, line.y1);
  for (int y = line.y1 + 1; y < line.y2; ++y) {
    const std::uint32_t before = error;
    error += slope;
    if (error <= before) x += step;
    row += static_cast<std::size_t>(blender.row_step());
    const std::uint32_t weight = error >> 24;
    const auto blend = [&](int at, std::uint32_t alpha) {
      if (!checks || IsDrawn(at, y)) blender.Blend(row + static_cast<std::size_t>(at), alpha);
    };
    blend(x, (255 * (255 - weight)) >> 8);
    blend(x + step, (255 * weight) >> 8);
  }
}

template <bool checks>
void PixelSurface::DrawFlat(Line line, int dx, int dy, int step, Blender blender) {
  const std::uint32_t slope = static_cast<std::uint32_t>((dy << 16) / dx) << 16;
  std::uint32_t error = 0;
  int x = line.x1;
  int y = line.y1;
  std::size_t row = Offset(0, y);
  const auto row_step = static_cast<std::size_t>(blender.row_step());
  for (int i = 1; i < dx; ++i) {
    const std::uint32_t before = error;
    error += slope;
    if (error <= before) {
      ++y;
      row += row_step;
    }
    x += step;
    const std::uint32_t weight = error >> 24;
    const std::size_t at = row + static_cast<std::size_t>(x);
    if (!checks || IsDrawn(x, y)) blender.Blend(at, (255 * (255 - weight)) >> 8);
    if (!checks || IsDrawn(x, y + 1)) blender.Blend(at + row_step, (255 * weight) >> 8);
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
