// Python access to the preprocessing of frames.
#ifndef ENGINE_TOOLS_ATARI_DEBUG_MODULE_PIXELS_H_
#define ENGINE_TOOLS_ATARI_DEBUG_MODULE_PIXELS_H_

#include <pybind11/pybind11.h>

namespace engine::atari {

// Adds PixelPath, to_rgb and to_grey to the module.
void BindPixels(pybind11::module_& m);

}  // namespace engine::atari

#endif  // ENGINE_TOOLS_ATARI_DEBUG_MODULE_PIXELS_H_
