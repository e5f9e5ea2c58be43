// The functions of envpool_py._atari that register the Atari tasks and store their ROMs.
#ifndef ENGINE_BINDINGS_ATARI_TASKS_H_
#define ENGINE_BINDINGS_ATARI_TASKS_H_

#include <pybind11/pybind11.h>

namespace engine::atari {

// Adds `register_tasks`, `add_rom` and `has_rom`.
void BindTasks(pybind11::module_& m);

}  // namespace engine::atari

#endif  // ENGINE_BINDINGS_ATARI_TASKS_H_
