// The machine and the build of the engine, as plain data.
#ifndef ENGINE_BINDINGS_SYSTEM_INFO_H_
#define ENGINE_BINDINGS_SYSTEM_INFO_H_

#include <pybind11/pybind11.h>

namespace engine::bindings {

// {"cpu", "cpus", "numa_nodes", "default_num_threads", "compiler", "build_type"};
// see _core.pyi.
pybind11::dict SystemInfo();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_SYSTEM_INFO_H_
