// A surface of 1000 x 800 pixels on which polygons are drawn as pygame draws them. The pixels equal
// those of gfxdraw.aapolygon, gfxdraw.filled_polygon and draw.polygon of pygame-ce 2.5 on a surface
// with 32 bits per pixel, scaled down as transform.smoothscale does (smooth_scale.h).
//
// A pixel is stored as the number of its color, one byte, so that long runs can be filled and
// compared quickly. The colors of blended pixels at edges are stored separately, in one plane per
// channel, so that many pixels can be added up at once. One thread at a time.
#ifndef ENGINE_ENVS_BOX2D_PIXEL_SURFACE_H_
#define ENGINE_ENVS_BOX2D_PIXEL_SURFACE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace engine::box2d {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;

  friend bool operator==(Rgb, Rgb) = default;
};

struct Pixel {
  int x = 0;
  int y = 0;
};

class PixelSurface {
 public:
  static constexpr int kWidth = 1000;
  static constexpr int kHeight = 800;
  // Bytes from row to row. A read of 16 bytes that begins at any pixel stays inside the surface.
  // Not a power of two, because pixels above each other would then use the same few lines of a
  // cache.
  static constexpr int kStride = 1088;
  static constexpr int kColors = 16;
  // The number of a pixel whose color is in `blended_`.
  static constexpr std::uint8_t kBlended = 255;

  PixelSurface();

  void SetColor(std::uint8_t number, Rgb color) { colors_[number] = color; }
  Rgb color(std::uint8_t number) const { return colors_[number]; }
  void Clear(std::uint8_t number);
  // Sets the direction of the y axis for later drawing: upwards from the lowest row, or downwards
  // from the highest row.
  void SetUpwards(bool upwards) { upwards_ = upwards; }
  // Later drawing skips rows outside [first, last], with y in the current direction. The other
  // pixels of a line that reaches the skipped rows do not change.
  void SetDrawnRows(int first, int last);

  // Coordinates of corners are in [-16000, 16000].
  void DrawAntialiasedOutline(std::span<const Pixel> corners, std::uint8_t number);
  void FillPolygon(std::span<const Pixel> corners, std::uint8_t number);
  // Like draw.polygon with width 0. Requires more than 3 corners.
  void DrawPolygon(std::span<const Pixel> corners, std::uint8_t number);
  // Like draw.lines(closed=False, width=2).
  void DrawLines(std::span<const Pixel> points, std::uint8_t number);
  // Combines the color of the pixel with `color` by a bitwise or. Does nothing outside the surface.
  void AddPixel(int x, int y, Rgb color);

  // Returns a row. Row 0 is at the top.
  const std::uint8_t* Row(int row) const {
    return &numbers_[static_cast<std::size_t>(row) * kStride];
  }
  // Returns a row of one channel (0: red, 1: green, 2: blue) of the blended pixels. The values of
  // other pixels have no meaning.
  const std::uint8_t* BlendedRow(int channel, int row) const {
    return &blended_[static_cast<std::size_t>(channel)][static_cast<std::size_t>(row) * kStride];
  }
  Rgb ColorAt(int row, int x) const {
    return Color(static_cast<std::size_t>(row) * kStride + static_cast<std::size_t>(x));
  }

 private:
  struct Line {
    int x1, y1, x2, y2;
  };

  static bool ClipLine(Line& line);
  std::size_t Offset(int x, int y) const {
    const int row = upwards_ ? kHeight - 1 - y : y;
    return static_cast<std::size_t>(row) * kStride + static_cast<std::size_t>(x);
  }
  bool IsDrawn(int x, int y) const {
    return x >= 0 && x < kWidth && y >= first_row_ && y <= last_row_;
  }
  Rgb Color(std::size_t at) const {
    const std::uint8_t number = numbers_[at];
    if (number != kBlended) return colors_[number];
    return {blended_[0][at], blended_[1][at], blended_[2][at]};
  }
  class EdgeWalk;
  void FillBetween(EdgeWalk& first, EdgeWalk& second, int y, int end, std::uint8_t number);
  void FillRow(int x1, int x2, int y, std::uint8_t number);
  void Plot(int x, int y, std::uint8_t number);
  class Blender;
  void DrawAntialiasedLine(Line line, std::uint8_t number);
  // `checks`: whether pixels may lie outside the drawn rows or the surface.
  template <bool checks>
  void DrawSteep(Line line, int dx, int dy, int step, Blender blender);
  template <bool checks>
  void DrawFlat(Line line, int dx, int dy, int step, Blender blender);
  void DrawThickLine(Line line, std::uint8_t number);

  std::vector<std::uint8_t> numbers_;
  std::array<std::vector<std::uint8_t>, 3>
      blended_;  // by channel; valid where numbers_ is kBlended
  std::array<Rgb, kColors> colors_{};
  bool upwards_ = false;
  int first_row_ = 0;
  int last_row_ = kHeight - 1;
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_PIXEL_SURFACE_H_
