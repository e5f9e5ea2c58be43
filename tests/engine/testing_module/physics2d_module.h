// Python bindings of physics2d::World, for tests only. See physics2d_module.cc.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_PHYSICS2D_MODULE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_PHYSICS2D_MODULE_H_

#include <pybind11/pybind11.h>

// Adds the class `World` to the module.
void BindPhysics2d(pybind11::module_& m);

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_PHYSICS2D_MODULE_H_
