// envpool_py._procgen: the Procgen tasks. `register_tasks` adds them to the engine. `open_library`
// opens the installed library, which their environments need. Both hold the GIL.
#include <pybind11/pybind11.h>

#include "engine/bindings/errors.h"
#include "engine/envs/procgen/library.h"
#include "engine/envs/procgen/register.h"
#include "engine/tasks/plugin.h"

namespace py = pybind11;

namespace engine::procgen {
namespace {

void RegisterTasks() {
  if (AddPluginTasks("envpool_py._procgen", &RegisterProcgen) != 0) throw py::error_already_set();
}

PYBIND11_MODULE(_procgen, m, py::mod_gil_not_used()) {
  bindings::RegisterErrorTranslator();
  m.doc() =
      "The Procgen tasks. Private: `envpool_py.tasks.families.procgen` uses it.\n\n"
      "Errors are those of `envpool_py.errors`.";
  m.def("open_library", &OpenLibrary, py::arg("library_file"), py::arg("pictures"),
        "Opens a library of Procgen.\n\n"
        "Args:\n"
        "    library_file: the library.\n"
        "    pictures: the directory of its pictures, with a final slash. The library reads them "
        "when the first environment is made, and ends the process if one is missing.\n\n"
        "Returns:\n"
        "    the version of its interface, 1 or 3.\n\n"
        "Raises:\n"
        "    InternalError: it cannot be opened, lacks a function, or has another version.");
  m.def("register_tasks", &RegisterTasks,
        "Registers the tasks with the engine. Once in a process.\n\n"
        "Raises:\n"
        "    PluginError: the tasks are registered already.");
}

}  // namespace
}  // namespace engine::procgen
