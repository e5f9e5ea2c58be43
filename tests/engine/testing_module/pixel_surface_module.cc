// Binds box2d::PixelSurface, its scaling and its text for tests/parity/test_pixel_surface.py, which
// compares them with pygame. Callers must hold the GIL.
#include "tests/engine/testing_module/pixel_surface_module.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/envs/box2d/pixel_surface.h"
#include "engine/envs/box2d/score_font.h"
#include "engine/envs/box2d/smooth_scale.h"

namespace py = pybind11;

namespace {

using engine::box2d::Pixel;
using engine::box2d::PixelSurface;
using engine::box2d::Rgb;
using engine::box2d::SmoothScale;
using PixelPoints = std::vector<std::tuple<int, int>>;
using Picture = py::array_t<std::uint8_t>;

std::vector<Pixel> ToPixels(const PixelPoints& points) {
  std::vector<Pixel> pixels;
  for (const auto& [x, y] : points) pixels.push_back({x, y});
  return pixels;
}

Picture PixelsOf(const PixelSurface& surface) {
  Picture picture({PixelSurface::kHeight, PixelSurface::kWidth, 3});
  std::uint8_t* rgb = picture.mutable_data();
  for (int row = 0; row < PixelSurface::kHeight; ++row) {
    for (int x = 0; x < PixelSurface::kWidth; ++x) {
      const Rgb color = surface.ColorAt(row, x);
      *rgb++ = color.r;
      *rgb++ = color.g;
      *rgb++ = color.b;
    }
  }
  return picture;
}

Picture Scale(const PixelSurface& surface, int width, int height, bool wide) {
  Picture picture({height, width, 3});
  SmoothScale(width, height, wide).Scale(surface, picture.mutable_data());
  return picture;
}

}  // namespace

void BindPixelSurface(py::module_& m) {
  py::class_<PixelSurface>(m, "PixelSurface")
      .def(py::init<>())
      .def("set_color", [](PixelSurface& s, std::uint8_t number, std::uint8_t r, std::uint8_t g,
                           std::uint8_t b) { s.SetColor(number, {r, g, b}); })
      .def("clear", &PixelSurface::Clear)
      .def("set_upwards", &PixelSurface::SetUpwards)
      .def("set_drawn_rows", &PixelSurface::SetDrawnRows)
      .def("outline",
           [](PixelSurface& s, const PixelPoints& points, std::uint8_t number) {
             s.DrawAntialiasedOutline(ToPixels(points), number);
           })
      .def("fill", [](PixelSurface& s, const PixelPoints& points,
                      std::uint8_t number) { s.FillPolygon(ToPixels(points), number); })
      .def("polygon", [](PixelSurface& s, const PixelPoints& points,
                         std::uint8_t number) { s.DrawPolygon(ToPixels(points), number); })
      .def("lines", [](PixelSurface& s, const PixelPoints& points,
                       std::uint8_t number) { s.DrawLines(ToPixels(points), number); })
      .def("score", [](PixelSurface& s, double score, int x, int y,
                       std::uint8_t black) { engine::box2d::DrawScore(score, x, y, s, black); })
      .def("pixels", &PixelsOf)
      .def("scale", &Scale);
}
