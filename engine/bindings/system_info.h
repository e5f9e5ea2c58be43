// What the engine knows of the machine and of its own build.
#ifndef ENGINE_BINDINGS_SYSTEM_INFO_H_
#define ENGINE_BINDINGS_SYSTEM_INFO_H_

#include <pybind11/pybind11.h>

#include "engine/runtime/topology.h"

namespace engine::bindings {

// The machine as it was read at first, with this process's cpuset as it is now.
// Needs the GIL, which guards the copy that is kept.
const Topology& CurrentTopology();

pybind11::dict SystemInfo();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_SYSTEM_INFO_H_
