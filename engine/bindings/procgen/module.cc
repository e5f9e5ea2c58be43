// envpool_py._procgen: the Procgen tasks. Importing it does not need the library. `open_library`
// opens the installed one, and `register_tasks` then adds the tasks to the engine. Both hold the
// GIL.
#include <pybind11/pybind11.h>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/envs/procgen/library.h"
#include "engine/envs/procgen/register.h"
#include "engine/tasks/plugin.h"

namespace py = pybind11;

namespace engine::procgen {
namespace {

void RegisterTasks() {
  if (OpenedLibrary().version == 0) {
    throw Error(ErrorKind::kInternal,
                "expected a Procgen library opened by open_library, got none");
  }
  if (AddPluginTasks("envpool_py._procgen", &RegisterProcgen) != 0) throw py::error_already_set();
}

PYBIND11_MODULE(_procgen, m) {
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
        "Registers the tasks with the engine, once, after the library is open.\n\n"
        "Raises:\n"
        "    InternalError: no library is open.\n"
        "    PluginError: the tasks are registered already.");
}

}  // namespace
}  // namespace engine::procgen
