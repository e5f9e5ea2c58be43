#include "engine/draw/canvas.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace engine {
namespace {

constexpr std::int64_t kLetterWidth = 3;
constexpr std::int64_t kLetterHeight = 5;
// The glyphs from " " to "~": one bit per pixel, in row-major order, from the highest of 15 bits
// down.
constexpr std::uint16_t kLetters[] = {
    0x0000, 0x2482, 0x5a00, 0x5f7d, 0x7b6f, 0x52a5, 0x7b6f, 0x2400, 0x1491, 0x4494, 0x0aa8, 0x05d0,
    0x0014, 0x01c0, 0x0002, 0x12a4, 0x7b6f, 0x2c97, 0x73e7, 0x73cf, 0x5bc9, 0x79cf, 0x79ef, 0x7252,
    0x7bef, 0x7bcf, 0x0410, 0x0414, 0x1511, 0x0e38, 0x4454, 0x6282, 0x7b6f, 0x2bed, 0x6bae, 0x3923,
    0x6b6e, 0x79a7, 0x79a4, 0x396b, 0x5bed, 0x7497, 0x126a, 0x5bad, 0x4927, 0x5fed, 0x6b6d, 0x2b6a,
    0x6ba4, 0x2b51, 0x6bad, 0x388e, 0x7492, 0x5b6f, 0x5b6a, 0x5bfd, 0x5aad, 0x5a92, 0x72a7, 0x6926,
    0x4889, 0x324b, 0x2a00, 0x0007, 0x7b6f, 0x2bed, 0x6bae, 0x3923, 0x6b6e, 0x79a7, 0x79a4, 0x396b,
    0x5bed, 0x7497, 0x126a, 0x5bad, 0x4927, 0x5fed, 0x6b6d, 0x2b6a, 0x6ba4, 0x2b51, 0x6bad, 0x388e,
    0x7492, 0x5b6f, 0x5b6a, 0x5bfd, 0x5aad, 0x5a92, 0x72a7, 0x7b6f, 0x2492, 0x7b6f, 0x7b6f,
};
constexpr std::uint16_t kBox = 0x7b6f;

// The first pixel whose centre is at `x` or beyond, clamped to a range far outside any picture.
std::int64_t FirstPixel(double x) {
  constexpr double kFar = 1e9;
  return static_cast<std::int64_t>(std::ceil(std::clamp(x - 0.5, -kFar, kFar)));
}

}  // namespace

Canvas::Canvas(std::span<std::uint8_t> rgb, const RenderSpec& picture)
    : rgb_(rgb.data()), height_(picture.height), width_(picture.width) {
  if (height_ < 0 || width_ < 0 || rgb.size() != picture.bytes()) {
    throw Error(ErrorKind::kInternal, "Canvas: expected " + std::to_string(height_) + " * " +
                                          std::to_string(width_) + " * 3 bytes, got " +
                                          std::to_string(rgb.size()));
  }
}

void Canvas::Clear(Colour colour) { FillRect(0, 0, width_, height_, colour); }

void Canvas::SetPixel(std::int64_t x, std::int64_t y, Colour colour) {
  if (x < 0 || x >= width_ || y < 0 || y >= height_) return;
  std::uint8_t* const pixel = rgb_ + (y * width_ + x) * 3;
  pixel[0] = colour.red;
  pixel[1] = colour.green;
  pixel[2] = colour.blue;
}

void Canvas::FillRect(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom,
                      Colour colour) {
  left = std::max<std::int64_t>(left, 0);
  right = std::min(right, width_);
  for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(bottom, height_); ++y) {
    for (std::int64_t x = left; x < right; ++x) SetPixel(x, y, colour);
  }
}

void Canvas::FillRow(std::int64_t y, double from, double to, Colour colour) {
  if (!(from < to)) return;
  FillRect(FirstPixel(from), y, FirstPixel(to), y + 1, colour);
}

void Canvas::Line(Point a, Point b, Colour colour, double thickness) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = std::hypot(dx, dy);
  if (!std::isfinite(length)) return;
  if (thickness > 1.0 && length > 0.0) {
    const double across = thickness / (2.0 * length);
    const Point corners[] = {{a.x - dy * across, a.y + dx * across},
                             {b.x - dy * across, b.y + dx * across},
                             {b.x + dy * across, b.y - dx * across},
                             {a.x + dy * across, a.y - dx * across}};
    FillPolygon(corners, colour);
    return;
  }
  // Draws one pixel in each row or in each column, whichever the line crosses more of. Visits only
  // pixels in the picture, however long the line is.
  const bool steep = std::abs(dy) > std::abs(dx);
  if (steep ? a.y > b.y : a.x > b.x) std::swap(a, b);
  const double along_a = steep ? a.y : a.x;
  const double along_b = steep ? b.y : b.x;
  const double across_a = steep ? a.x : a.y;
  const double slope =
      along_b > along_a ? ((steep ? b.x : b.y) - across_a) / (along_b - along_a) : 0.0;
  const double end = static_cast<double>(steep ? height_ : width_);
  const auto first = static_cast<std::int64_t>(std::floor(std::clamp(along_a, 0.0, end)));
  const auto last = static_cast<std::int64_t>(std::floor(std::clamp(along_b, -1.0, end)));
  for (std::int64_t i = first; i <= last; ++i) {
    const double at = std::clamp(static_cast<double>(i) + 0.5, along_a, std::max(along_a, along_b));
    const double across = std::floor(std::clamp(across_a + slope * (at - along_a), -1.0, 1e9));
    const auto j = static_cast<std::int64_t>(across);
    SetPixel(steep ? j : i, steep ? i : j, colour);
  }
}

void Canvas::FillCircle(double x, double y, double radius, Colour colour) {
  Circle(x, y, radius / 2.0, colour, radius);
}

void Canvas::Circle(double x, double y, double radius, Colour colour, double thickness) {
  const double outer = radius + thickness / 2.0;
  const double inner = std::max(radius - thickness / 2.0, 0.0);
  if (!(outer > 0.0)) return;
  const std::int64_t top = std::max<std::int64_t>(FirstPixel(y - outer), 0);
  const std::int64_t bottom = std::min(FirstPixel(y + outer), height_);
  for (std::int64_t row = top; row < bottom; ++row) {
    const double above = static_cast<double>(row) + 0.5 - y;
    const double half = std::sqrt(std::max(outer * outer - above * above, 0.0));
    if (std::abs(above) >= inner) {
      FillRow(row, x - half, x + half, colour);
      continue;
    }
    const double hole = std::sqrt(inner * inner - above * above);
    FillRow(row, x - half, x - hole, colour);
    FillRow(row, x + hole, x + half, colour);
  }
}

void Canvas::FillPolygon(std::span<const Point> corners, Colour colour) {
  if (corners.size() < 3) return;
  double least = corners[0].y;
  double bottom_y = corners[0].y;
  for (const Point& corner : corners) {
    if (!std::isfinite(corner.x) || !std::isfinite(corner.y)) return;
    least = std::min(least, corner.y);
    bottom_y = std::max(bottom_y, corner.y);
  }
  std::vector<double> crossings;
  const std::int64_t top = std::max<std::int64_t>(FirstPixel(least), 0);
  const std::int64_t bottom = std::min(FirstPixel(bottom_y), height_);
  for (std::int64_t row = top; row < bottom; ++row) {
    const double y = static_cast<double>(row) + 0.5;
    crossings.clear();
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point& a = corners[i];
      const Point& b = corners[i + 1 == corners.size() ? 0 : i + 1];
      // Half open, so that a corner between two edges counts once.
      if ((a.y <= y) == (b.y <= y)) continue;
      crossings.push_back(a.x + (y - a.y) * ((b.x - a.x) / (b.y - a.y)));
    }
    std::ranges::sort(crossings);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      FillRow(row, crossings[i], crossings[i + 1], colour);
  }
}

void Canvas::Blit(std::span<const std::uint8_t> image, std::int64_t width, std::int64_t left,
                  std::int64_t top, const Colour* transparent) {
  const auto size = static_cast<std::int64_t>(image.size());
  if (width <= 0 || size % (3 * width) != 0) {
    throw Error(ErrorKind::kInternal, "Canvas::Blit: expected rows of " + std::to_string(width) +
                                          " * 3 bytes, got " + std::to_string(size) + " bytes");
  }
  for (std::int64_t y = 0; y < size / (3 * width); ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::uint8_t* const pixel = image.data() + (y * width + x) * 3;
      const Colour colour{pixel[0], pixel[1], pixel[2]};
      if (transparent != nullptr && colour == *transparent) continue;
      SetPixel(left + x, top + y, colour);
    }
  }
}

void Canvas::Text(std::int64_t left, std::int64_t top, std::string_view text, Colour colour,
                  std::int64_t scale) {
  if (scale <= 0) return;
  std::int64_t x = left;
  for (const char letter : text) {
    if (letter == '\n') {
      x = left;
      top += (kLetterHeight + 1) * scale;
      continue;
    }
    const bool known = letter >= ' ' && letter <= '~';
    const std::uint16_t bits = known ? kLetters[letter - ' '] : kBox;
    for (std::int64_t i = 0; i < kLetterWidth * kLetterHeight; ++i) {
      if ((bits >> (kLetterWidth * kLetterHeight - 1 - i) & 1) == 0) continue;
      const std::int64_t column = x + i % kLetterWidth * scale;
      const std::int64_t row = top + i / kLetterWidth * scale;
      FillRect(column, row, column + scale, row + scale, colour);
    }
    x += (kLetterWidth + 1) * scale;
  }
}

}  // namespace engine
