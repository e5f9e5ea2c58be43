// The extension module envpool_py._core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "engine/bindings/batch_log_binding.h"
#include "engine/bindings/batch_output.h"
#include "engine/bindings/describe_task.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/numpy_kernels.h"
#include "engine/bindings/option_arguments.h"
#include "engine/bindings/pickling.h"
#include "engine/bindings/plugin_loader.h"
#include "engine/bindings/pool_binding.h"
#include "engine/bindings/python_envs/hosted_env.h"
#include "engine/bindings/python_envs/python_pool_binding.h"
#include "engine/bindings/python_envs/worker_binding.h"
#include "engine/bindings/target_binding.h"
#include "engine/envs/families.h"
#include "engine/tasks/check_task.h"
#include "engine/topology/current_topology.h"
#include "engine/topology/placement.h"
#include "engine/xla/cuda_handlers.h"
#include "engine/xla/handlers.h"

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

py::list ListOf(const auto& values) {
  py::list list;
  for (const auto& value : values) list.append(value);
  return list;
}

// The machine and the build of the engine, as _core.pyi describes them.
py::dict SystemInfo() {
  const engine::Topology topology = *engine::CurrentTopology();
  py::list nodes;
  for (const engine::Topology::Node& node : topology.nodes) {
    py::dict one;
    one["id"] = node.id;
    one["cpus"] = ListOf(node.cpus);
    one["cores"] = node.num_cores;
    one["fast_cores"] = node.num_fast_cores;
    nodes.append(one);
  }
  py::dict info;
  info["cpu"] = topology.cpu_model;
  info["cpus"] = ListOf(topology.cpus);
  info["numa_nodes"] = nodes;
  info["default_num_threads"] = engine::NumUsableProcessors(topology);
  info["compiler"] = ENVPOOL_COMPILER;
  info["build_type"] = ENVPOOL_BUILD_TYPE;
  return info;
}

// Capsules with the addresses of the handlers of engine/xla, which JAX registers, by platform and
// name.
py::dict XlaHandlers() {
  using engine::xla::abi::Handler;
  const auto handlers = [](Handler* reset, Handler* step, Handler* send, Handler* recv) {
    const auto capsule = [](Handler* handler) {
      return py::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
    };
    py::dict by_name;
    by_name["reset"] = capsule(reset);
    by_name["step"] = capsule(step);
    by_name["send"] = capsule(send);
    by_name["recv"] = capsule(recv);
    return by_name;
  };
  py::dict by_platform;
  by_platform["cpu"] = handlers(&engine::xla::ResetHandler, &engine::xla::StepHandler,
                                &engine::xla::SendHandler, &engine::xla::RecvHandler);
  by_platform["cuda"] = handlers(&engine::xla::CudaResetHandler, &engine::xla::CudaStepHandler,
                                 &engine::xla::CudaSendHandler, &engine::xla::CudaRecvHandler);
  return by_platform;
}

}  // namespace

PYBIND11_MODULE(_core, module, py::mod_gil_not_used()) {
  if (!engine::bindings::ImportNumpy()) throw py::error_already_set();
  engine::bindings::BatchOutput::Prepare();
  engine::bindings::RegisterErrorTranslator();
  module.attr("_numpy_kernels") = engine::bindings::UseNumpysOwnKernels();
  engine::RegisterFamilies(engine::Registry::Global());

  module.attr("__version__") = ENVPOOL_VERSION;
  module.attr("_os_layer") = ENVPOOL_OS_LAYER;
  module.attr("_plugin_abi") = engine::bindings::PluginCoreCapsule();
  module.attr("_plugin_stamp") = engine::bindings::DescribePluginStamp();
  module.def("list_tasks", [] { return ListOf(engine::Registry::Global().Ids()); });
  module.def("reserve_option_names", &engine::ReserveOptionNames, py::arg("names"));
  module.def("describe_task", &Describe, py::arg("task_id"), py::arg("options"));
  module.def("system_info", &SystemInfo);
  engine::bindings::PythonTarget::Register(module);
  engine::bindings::RegisterBatchLog(module);
  module.def("xla_handlers", &XlaHandlers);
  engine::bindings::PoolBinding::Register(module);
  engine::bindings::PythonPoolBinding::Register(module);
  engine::bindings::WorkerBinding::Register(module);
  engine::bindings::HostedEnv::Register(module);
  engine::bindings::RefusePickling(module);
  engine::bindings::RefuseUnconstructed(module);
}
