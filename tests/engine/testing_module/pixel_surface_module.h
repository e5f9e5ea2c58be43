// Python bindings of box2d::PixelSurface, for tests only. See pixel_surface_module.cc.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_PIXEL_SURFACE_MODULE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_PIXEL_SURFACE_MODULE_H_

#include <pybind11/pybind11.h>

// Adds the class `PixelSurface` to the module.
void BindPixelSurface(pybind11::module_& m);

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_PIXEL_SURFACE_MODULE_H_
