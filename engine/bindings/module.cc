// The extension module envpool_py._core.
#include <pybind11/pybind11.h>

#include "engine/bindings/describe_task.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/numpy_kernels.h"
#include "engine/bindings/option_arguments.h"
#include "engine/bindings/pickling.h"
#include "engine/bindings/plugin_loader.h"
#include "engine/bindings/pool_binding.h"
#include "engine/bindings/python_envs/python_pool_binding.h"
#include "engine/bindings/python_envs/worker_binding.h"
#include "engine/bindings/system_info.h"
#include "engine/bindings/target_binding.h"
#include "engine/bindings/xla_handlers.h"
#include "engine/envs/families.h"

namespace py = pybind11;

namespace {

py::dict Describe(const std::string& task_id, const py::dict& options) {
  const engine::TaskEntry& entry = engine::Registry::Global().Find(task_id);
  const engine::ParamValues values =
      engine::bindings::ReadOptions(entry.options, options, "option", task_id);
  const engine::EnvSpec spec = entry.spec(values);
  spec.Validate(task_id);
  return engine::bindings::DescribeTask(entry, spec);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  if (!engine::bindings::ImportNumpy()) throw py::error_already_set();
  engine::bindings::RegisterErrorTranslator();
  module.attr("_numpy_kernels") = engine::bindings::UseNumpysOwnKernels();
  engine::RegisterFamilies(engine::Registry::Global());

  module.attr("__version__") = ENVPOOL_VERSION;
  module.attr("_plugin_interface") = engine::bindings::PluginInterfaceCapsule();
  module.attr("_plugin_abi") = engine::bindings::PluginCoreCapsule();
  module.attr("_plugin_stamp") = engine::bindings::DescribePluginStamp();
  module.def("list_tasks", [] {
    py::list ids;
    for (const std::string& id : engine::Registry::Global().Ids()) ids.append(id);
    return ids;
  });
  module.def("describe_task", &Describe, py::arg("task_id"), py::arg("options"));
  module.def("system_info", &engine::bindings::SystemInfo);
  engine::bindings::PythonTarget::Register(module);
  module.def("xla_handlers", &engine::bindings::XlaHandlers);
  engine::bindings::PoolBinding::Register(module);
  engine::bindings::PythonPoolBinding::Register(module);
  engine::bindings::WorkerBinding::Register(module);
  engine::bindings::RefusePickling(module);
}
