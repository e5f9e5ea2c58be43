// Drawing for Render (environment.h): fills, lines, circles, polygons, images and short texts.
//
//   void Render(std::span<std::uint8_t> rgb) const {
//     engine::Canvas canvas(rgb, {.height = 120, .width = 160});
//     canvas.Clear({255, 255, 255});
//     canvas.FillCircle(80.0, 60.0, 12.5, {200, 30, 30});
//     canvas.Text(4, 4, "score 12", {0, 0, 0});
//   }
//
// x counts pixels from the left, y from the top; the centre of the first pixel is (0.5, 0.5). A
// pixel belongs to an area if its centre lies in it, so there is no blending, and pictures are
// equal on every machine. Parts outside the picture are clipped. Used by the thread that calls
// Render.
#ifndef ENGINE_DRAW_CANVAS_H_
#define ENGINE_DRAW_CANVAS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/env/spec.h"

namespace engine {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend constexpr bool operator==(const Colour&, const Colour&) = default;
};

struct Point {
  double x = 0.0;
  double y = 0.0;
};

class Canvas {
 public:
  // Draws into `rgb`, rows of RGB that must outlive the canvas. Throws Error{kInternal} unless it
  // has height * width * 3 bytes.
  Canvas(std::span<std::uint8_t> rgb, const RenderSpec& picture);

  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }

  void Clear(Colour colour);
  void SetPixel(std::int64_t x, std::int64_t y, Colour colour);
  // Fills the pixels [left, right) x [top, bottom).
  void FillRect(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom,
                Colour colour);
  // Draws a line from `a` to `b`, `thickness` pixels wide and at least one pixel wide everywhere.
  void Line(Point a, Point b, Colour colour, double thickness = 1.0);
  void FillCircle(double x, double y, double radius, Colour colour);
  // Draws a circle's edge, `thickness` pixels wide and centred on `radius`.
  void Circle(double x, double y, double radius, Colour colour, double thickness = 1.0);
  // Fills a polygon of any number of corners, in order, by the even-odd rule.
  void FillPolygon(std::span<const Point> corners, Colour colour);
  // Copies an image of rows of RGB, `width` pixels wide, with its first pixel at (left, top).
  // Skips pixels of the colour `transparent` unless it is null. Throws Error{kInternal} unless
  // the image has complete rows.
  void Blit(std::span<const std::uint8_t> image, std::int64_t width, std::int64_t left,
            std::int64_t top, const Colour* transparent = nullptr);
  // Draws ASCII text with its top left corner at (left, top). A letter has 3 x 5 pixels times
  // `scale`, and letters are 4 * scale pixels apart. Lower-case letters are drawn as capitals, and
  // characters without a glyph as a box. "\n" begins a new line, 6 * scale pixels below.
  void Text(std::int64_t left, std::int64_t top, std::string_view text, Colour colour,
            std::int64_t scale = 1);

 private:
  // Fills the pixels of row y whose centres are in [from, to).
  void FillRow(std::int64_t y, double from, double to, Colour colour);

  std::uint8_t* rgb_;
  std::int64_t height_;
  std::int64_t width_;
};

}  // namespace engine

#endif  // ENGINE_DRAW_CANVAS_H_
