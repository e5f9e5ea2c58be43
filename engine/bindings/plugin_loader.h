// The core's side of engine/tasks/plugin.h: checks a module that adds environments, and adds them.
// All functions need the GIL.
#ifndef ENGINE_BINDINGS_PLUGIN_LOADER_H_
#define ENGINE_BINDINGS_PLUGIN_LOADER_H_

#include <pybind11/pybind11.h>

namespace engine::bindings {

// The capsule through which modules find the envpool_core.
pybind11::capsule PluginCoreCapsule();

// The core's own PluginStamp as a dict: "version", "compiler", "standard_library", "string_abi",
// "headers" (str each) and "layout" (int).
pybind11::dict DescribePluginStamp();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PLUGIN_LOADER_H_
