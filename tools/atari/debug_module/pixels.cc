// See the header. Everything here holds the GIL, because a frame takes microseconds.
#include "tools/atari/debug_module/pixels.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/palette.h"
#include "engine/envs/atari/pixels/pixel_path.h"

namespace py = pybind11;

namespace engine::atari {
namespace {

using ByteArray = py::array_t<std::uint8_t>;

// Looks a value up among named ones.
template <class T, std::size_t kCount>
T Choice(const char* argument, std::string_view name,
         const std::pair<std::string_view, T> (&choices)[kCount]) {
  std::string known;
  for (const auto& [choice, value] : choices) {
    if (choice == name) return value;
    known += (known.empty() ? "'" : " or '") + std::string(choice) + "'";
  }
  throw Error(ErrorKind::kInput,
              std::string(argument) + ": expected " + known + ", got '" + std::string(name) + "'");
}

TvFormat Format(std::string_view name) {
  static constexpr std::pair<std::string_view, TvFormat> kNames[] = {{"NTSC", TvFormat::kNtsc},
                                                                     {"PAL", TvFormat::kPal}};
  return Choice("television", name, kNames);
}

PixelPath MakePath(int lines, std::string_view format, bool grey, int height, int width,
                   std::string_view interpolation, std::string_view order,
                   std::string_view vectors) {
  static constexpr std::pair<std::string_view, Interpolation> kInterpolations[] = {
      {"area", Interpolation::kArea}, {"linear", Interpolation::kLinear}};
  static constexpr std::pair<std::string_view, ChannelOrder> kOrders[] = {
      {"interleaved", ChannelOrder::kInterleaved}, {"planar", ChannelOrder::kPlanar}};
  static constexpr std::pair<std::string_view, VectorUnit> kUnits[] = {
      {"portable", VectorUnit::kPortable}, {"vectors", VectorUnit::kVectors}};
  return PixelPath({.lines = lines,
                    .format = Format(format),
                    .grey = grey,
                    .height = height,
                    .width = width,
                    .interpolation = Choice("interpolation", interpolation, kInterpolations),
                    .order = Choice("order", order, kOrders)},
                   Choice("vectors", vectors, kUnits));
}

std::string ShapeText(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
  }
  return text + (array.ndim() == 1 ? ",)" : ")");
}

// The colour numbers of a picture, contiguous. `lines` 0: any number of rows.
ByteArray CheckedPicture(const char* argument, const py::array& array, int lines) {
  const bool fits = array.ndim() == 2 && array.shape(1) == atari2600::kWidth &&
                    (lines == 0 || array.shape(0) == lines);
  if (!fits || !py::isinstance<ByteArray>(array)) {
    throw Error(ErrorKind::kInput, std::string(argument) + ": expected uint8 of shape (" +
                                       (lines == 0 ? "rows" : std::to_string(lines)) +
                                       ", 160), got " + py::str(array.dtype()).cast<std::string>() +
                                       " of shape " + ShapeText(array));
  }
  return py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>::ensure(array);
}

std::span<const std::uint8_t> Pixels(const ByteArray& picture) {
  return {picture.data(), static_cast<std::size_t>(picture.size())};
}

ByteArray Run(const PixelPath& path, const py::array& newest,
              const std::optional<py::array>& before) {
  const PixelOptions& options = path.options();
  const ByteArray picture = CheckedPicture("newest", newest, options.lines);
  std::optional<ByteArray> other;
  if (before) other = CheckedPicture("before", *before, options.lines);
  std::vector<py::ssize_t> shape{options.height, options.width};
  if (!options.grey) {
    shape.insert(options.order == ChannelOrder::kPlanar ? shape.begin() : shape.end(), 3);
  }
  ByteArray frame(shape);
  path.Run(picture.data(), other ? other->data() : nullptr, frame.mutable_data());
  return frame;
}

ByteArray Rgb(const py::array& screen, std::string_view format) {
  const ByteArray picture = CheckedPicture("screen", screen, 0);
  ByteArray out({picture.shape(0), picture.shape(1), py::ssize_t{3}});
  ToRgb(Pixels(picture), Format(format), out.mutable_data());
  return out;
}

ByteArray Grey(const py::array& screen, std::string_view format) {
  const ByteArray picture = CheckedPicture("screen", screen, 0);
  ByteArray out({picture.shape(0), picture.shape(1)});
  ToGrey(Pixels(picture), Format(format), out.mutable_data());
  return out;
}

}  // namespace

void BindPixels(py::module_& m) {
  py::class_<PixelPath>(m, "PixelPath",
                        "What makes learning frames of the console's pictures.\n\n"
                        "A frame is that of ale-py's grey or RGB pictures, their maximum and "
                        "`cv2.resize`, to the bit.\nImmutable: any thread.")
      .def(py::init(&MakePath), py::kw_only(), py::arg("lines") = 210,
           py::arg("television") = "NTSC", py::arg("grey") = true, py::arg("height") = 84,
           py::arg("width") = 84, py::arg("interpolation") = "area",
           py::arg("order") = "interleaved", py::arg("vectors") = "vectors",
           "Args:\n"
           "    lines: rows of the pictures, in [1, 300].\n"
           "    television: whose colours they have, \"NTSC\" or \"PAL\".\n"
           "    grey: whether a pixel of a frame is one value, and not three.\n"
           "    height, width: of a frame, in [1, 1024].\n"
           "    interpolation: \"area\" or \"linear\", OpenCV's INTER_AREA or INTER_LINEAR.\n"
           "    order: of three values: \"interleaved\" is (height, width, 3), \"planar\" is\n"
           "        (3, height, width).\n"
           "    vectors: \"portable\" or \"avx2\", the most that is used of what the processor\n"
           "        has; no result depends on it.\n\n"
           "Raises:\n"
           "    OptionError: a number out of its range.\n"
           "    InputError: no such television, interpolation, order or vectors.")
      .def("run", &Run, py::arg("newest"), py::arg("before") = py::none(),
           "Returns the frame of a picture or, with `before`, of the maximum of two.\n\n"
           "Args:\n"
           "    newest: color numbers, uint8, (lines, 160).\n"
           "    before: another picture, or None.\n\n"
           "Raises:\n"
           "    InputError: an array of another type or shape.");
  m.def("to_rgb", &Rgb, py::arg("screen"), py::arg("television") = "NTSC",
        "Returns a picture in color as ale-py's getScreenRGB does: uint8, (rows, 160, 3).\n\n"
        "Args:\n"
        "    screen: color numbers, uint8, (rows, 160).\n"
        "    television: whose colors they are, \"NTSC\" or \"PAL\".\n\n"
        "Raises:\n"
        "    InputError: an array of another type or shape, or no such television.");
  m.def("to_grey", &Grey, py::arg("screen"), py::arg("television") = "NTSC",
        "Returns a picture in grey as ale-py's getScreenGrayscale does: uint8, (rows, 160).\n\n"
        "Args:\n"
        "    screen: color numbers, uint8, (rows, 160).\n"
        "    television: whose colors they are, \"NTSC\" or \"PAL\".\n\n"
        "Raises:\n"
        "    InputError: an array of another type or shape, or no such television.");
}

}  // namespace engine::atari
