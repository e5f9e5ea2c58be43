#include "engine/bindings/python_envs/worker_binding.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "engine/bindings/constructor.h"
#include "engine/bindings/gil.h"
#include "engine/bindings/python_envs/python_infos.h"
#include "engine/bindings/python_host.h"
#include "engine/processes/worker_process.h"

namespace py = pybind11;

namespace engine::bindings {
// A PythonGroup that writes its objects as bytes into the outboxes.
class WorkerBinding::Group final : public PythonGroup {
 public:
  Group(const EnvSpec& spec, const GroupConfig& config, std::shared_ptr<PythonHosting> hosting,
        SharedState& state, py::object dump)
      : PythonGroup(spec, config, std::move(hosting), state.base()),
        state_(state),
        dump_(std::move(dump)) {}

  std::uint32_t CallMethodRows(const EnvRange& range, const void* /*call*/,
                               const StopCondition& stop, StepCounts& counts) override {
    py::object call;
    try {
      call =
          LoadFrom(state_.job_buffer(), state_.header().job_bytes.load(std::memory_order_relaxed));
    } catch (const py::error_already_set& error) {
      // An argument cannot be unpickled in this process.
      const py::tuple result = py::make_tuple(false, error.value());
      for (std::uint32_t k = range.begin; k < range.end; ++k) SetObject(range.Env(k), result);
      return range.end - range.begin;
    }
    return PythonGroup::CallMethodRows(range, call.ptr(), stop, counts);
  }
  void Restore(std::uint32_t env, py::object environment, std::string_view episode,
               py::object observation, py::object info) override {
    PythonGroup::Restore(env, std::move(environment), episode, std::move(observation),
                         std::move(info));
    state_.item(env).restored = true;
  }
  py::object LoadFrom(const std::byte* bytes, std::size_t n) const {
    return hosting().load(py::bytes(reinterpret_cast<const char*>(bytes), n));
  }

 private:
  void SetRowObject(std::uint32_t env, const RowParts& parts) override {
    state_.item(env).has_object = false;
    if (!parts.any()) return;
    const std::string_view row =
        packed_.Pack(parts.info, parts.leaves, parts.final_info, parts.final_leaves, dump_);
    WriteOut(env, row);
  }
  void SetObject(std::uint32_t env, py::object object) override {
    state_.item(env).has_object = false;
    if (object.is_none()) return;
    const py::object dumped = dump_(object);
    WriteOut(env, {PyBytes_AS_STRING(dumped.ptr()),
                   static_cast<std::size_t>(PyBytes_GET_SIZE(dumped.ptr()))});
  }
  void WriteOut(std::uint32_t env, std::string_view bytes) {
    if (bytes.size() > state_.geometry().buffer_bytes) {
      throw py::value_error("infos, observations or results of a call: expected at most " +
                            std::to_string(state_.geometry().buffer_bytes) + " bytes, got " +
                            std::to_string(bytes.size()));
    }
    std::memcpy(state_.outbox(env), bytes.data(), bytes.size());
    WorkItem& item = state_.item(env);
    item.out_bytes = bytes.size();
    item.has_object = true;
  }

  SharedState& state_;
  const py::object dump_;
  PackedRow packed_;
};

WorkerBinding::WorkerBinding(int fd, std::uint32_t worker, py::tuple observation_tree,
                             py::object action_tree, py::object functions, const py::dict& settings)
    : hosting_(std::make_shared<PythonHosting>(observation_tree, action_tree, functions)),
      arguments_(ReadPoolArguments(settings)),
      worker_(worker),
      mapping_(MapWhole(fd)),
      state_(mapping_->base()),
      group_(std::make_unique<Group>(MakePythonSpec(hosting_->observation), arguments_.group,
                                     hosting_, state_, functions.attr("dump"))) {}

void WorkerBinding::ReportState(WorkerState state) {
  state_.worker(worker_).state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
  state_.header().done.parker.Notify(UINT32_MAX);
}

bool WorkerBinding::Construct() {
  const Geometry& geometry = state_.geometry();
  const auto wait_until_attached = [this] {
    const GilReleased released;
    return WaitUntilAttached(state_, worker_);
  };
  try {
    for (std::uint32_t env = worker_; env < geometry.num_envs; env += geometry.num_workers) {
      group_->Construct(env, env + 1);
    }
  } catch (py::error_already_set& error) {
    // The pool reads the reason from the outbox of the worker's first environment.
    const std::string what = group_->Describe(error);
    if (!wait_until_attached()) throw;
    WorkItem& item = state_.item(worker_);
    item.out_bytes = std::min<std::uint64_t>(what.size(), geometry.buffer_bytes);
    std::memcpy(state_.outbox(worker_), what.data(), item.out_bytes);
    ReportState(WorkerState::kFailed);
    throw;
  }
  if (!wait_until_attached()) return false;
  ReportState(WorkerState::kReady);
  return true;
}

void WorkerBinding::Run(double spin_ns) {
  PythonHost host;
  WorkerLoop loop(state_, worker_, *group_, arguments_.batches().extras, *this);
  const bool closed = loop.Run(host, spin_ns);
  if (loop.attached()) ReportState(WorkerState::kEnded);
  if (!closed) throw py::error_already_set();
}

std::unique_ptr<ResetStart> WorkerBinding::Read(const std::byte* bytes, std::size_t n) {
  try {
    return std::make_unique<PythonOptions>(group_->LoadFrom(bytes, n));
  } catch (const py::error_already_set& error) {
    auto options = std::make_unique<PythonOptions>(py::none());
    options->error = error.value();
    return options;
  }
}

void WorkerBinding::Register(py::module_& module) {
  py::class_<WorkerBinding> worker(module, "Worker");
  DefineConstructor<int, std::uint32_t, py::tuple, py::object, py::object, const py::dict&>(
      worker, py::arg("fd"), py::arg("worker"), py::arg("observation_tree"), py::arg("action_tree"),
      py::arg("functions"), py::arg("settings"))
      .def("construct", &WorkerBinding::Construct)
      .def("run", &WorkerBinding::Run, py::arg("spin_ns"))
      .def_static("end_with", &EndThisProcessWith, py::arg("fd"));
}

}  // namespace engine::bindings
