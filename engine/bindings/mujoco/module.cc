// envpool_py._mujoco: Gymnasium's MuJoCo tasks. Importing it does not need MuJoCo. `open_library`
// opens the installed library, and `register_tasks` then adds the tasks to the engine. Both hold
// the GIL.
#include <pybind11/pybind11.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/env/plugin.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/numpy_arrays.h"
#include "engine/envs/mujoco/register.h"

namespace py = pybind11;

namespace engine::mujoco {
namespace {

void RegisterTasks(const std::string& asset_directory) {
  if (Library().version == nullptr) {
    throw Error(ErrorKind::kInternal, "expected a MuJoCo library opened by open_library, got none");
  }
  SetAssetDirectory(asset_directory);
  if (AddPluginTasks("envpool_py._mujoco", &RegisterMujoco) != 0) throw py::error_already_set();
}

// Computes a NumPy dot product whose last bit shows whether it is fused (see DotIsFused).
void AskNumpyForDots() {
  // The sum shows whether the second square was rounded.
  const double a = 0.1;
  const double b = 0.3;
  const double fused = std::fma(b, b, a * a);
  const py::list values(2);
  values[0] = a;
  values[1] = b;
  const py::object numpy = py::module_::import("numpy");
  const py::object array = numpy.attr("array")(values);
  const double dot = py::cast<double>(numpy.attr("dot")(array, array));
  DotIsFused().store(dot == fused, std::memory_order_relaxed);
}

PYBIND11_MODULE(_mujoco, m) {
  bindings::RegisterErrorTranslator();
  AskNumpyForDots();
  m.doc() =
      "Gymnasium's MuJoCo tasks. Private: `envpool_py.mujoco.family` loads it.\n\nErrors are those "
      "of `envpool_py.errors`.";
  py::tuple versions(Layouts().size());
  for (std::size_t i = 0; i < Layouts().size(); ++i) {
    versions[i] = py::str(std::string(Layouts()[i].version));
  }
  m.attr("SUPPORTED_VERSIONS") = versions;
  m.def("open_library", &Open, py::arg("library_file"), py::arg("plugin_directory"),
        "Opens a MuJoCo library of one of SUPPORTED_VERSIONS, and its plug-ins.\n\n"
        "Returns:\n"
        "    its version, such as \"3.17.0\".\n\n"
        "Raises:\n"
        "    InternalError: it cannot be opened, lacks a function, has another version, or does "
        "not lay out its data like that version.");
  m.def("register_tasks", &RegisterTasks, py::arg("asset_directory"),
        "Registers the tasks with the engine, once, after a library is open.\n\n"
        "Args:\n"
        "    asset_directory: where Gymnasium has its models.\n\n"
        "Raises:\n"
        "    InternalError: no library is open.\n"
        "    PluginError: a model is missing or cannot be compiled, or the tasks are registered "
        "already.");
}

}  // namespace
}  // namespace engine::mujoco
