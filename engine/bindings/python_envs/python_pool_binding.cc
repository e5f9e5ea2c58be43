#include "engine/bindings/python_envs/python_pool_binding.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/constructor.h"
#include "engine/bindings/python_envs/python_infos.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/reset_arguments.h"
#include "engine/runtime/inline_executor.h"
#include "engine/runtime/thread_executor.h"
#include "engine/topology/current_topology.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

std::string_view BytesOf(const RowObject& object) {
  return {static_cast<const char*>(object.value.get()), object.bytes};
}

// Slots of actions on the heap.
struct HeapActions {
  HeapActions(const TreeSlotLayout& layout, std::uint32_t num_envs)
      : buffers(num_envs),
        slots(HeapAllocator::Global().Allocate(layout.slot_bytes() * num_envs)),
        bytes(layout.slot_bytes() * num_envs),
        staging(layout, slots, buffers) {}
  ~HeapActions() { HeapAllocator::Global().Free(slots, bytes); }
  HeapActions(const HeapActions&) = delete;
  HeapActions& operator=(const HeapActions&) = delete;

  HeapBuffers buffers;
  std::byte* const slots;
  const std::size_t bytes;
  TreeStaging staging;
};

}  // namespace

PythonPoolBinding::PythonPoolBinding(const py::tuple& observation_tree,
                                     const py::object& action_tree, py::object functions,
                                     const py::kwargs& arguments)
    : hosting_(std::make_shared<PythonHosting>(observation_tree, action_tree, functions)),
      functions_(std::move(functions)),
      on_dead_workers_(ValueOr(arguments, "on_dead_workers", py::object(py::none()))),
      num_workers_(py::cast<std::uint32_t>(arguments["num_workers"])) {
  PoolArguments read = ReadPoolArguments(arguments);
  is_dm_ = read.pool.dm_columns;
  if (ValueOr(arguments, "processes", false)) {
    const std::shared_ptr<Executor> executor =
        StepInWorkers(read, ValueOr(arguments, "step_timeout", 0.0));
    pool_ = std::make_shared<Pool>(executor, read.pool);
  } else {
    read.pool.num_threads = std::max(num_workers_, 1U);
    pool_ = std::make_shared<Pool>(StepInThisProcess(read), read.pool);
  }
  output_.emplace(pool_->spec(), is_dm_, read.extra_infos);
}

std::shared_ptr<Executor> PythonPoolBinding::StepInThisProcess(const PoolArguments& arguments) {
  const auto actions =
      std::make_shared<HeapActions>(hosting_->SlotLayout(), arguments.group.num_envs);
  const std::shared_ptr<ActionSink> sink(actions, &actions->staging);
  auto group = std::make_unique<PythonGroup>(MakePythonSpec(hosting_->observation), arguments.group,
                                             hosting_, actions->buffers.origin());
  if (num_workers_ == 0) {
    return std::make_shared<InlineExecutor>(std::move(group), sink, arguments.batches());
  }
  if (num_workers_ > 1 && !functions_.attr("judge_overlap").is_none()) {
    measured_ = group.get();
    measured_->Measure(meter_);
  }
  return std::make_shared<ThreadExecutor>(
      std::move(group),
      ThreadExecutor::Config{
          .batches = arguments.batches(), .num_threads = num_workers_, .actions = sink},
      *CurrentTopology());
}

std::shared_ptr<Executor> PythonPoolBinding::StepInWorkers(const PoolArguments& arguments,
                                                           double step_timeout_seconds) {
  processes_ = std::make_shared<ProcessExecutor>(
      MakePythonSpec(hosting_->observation), arguments.group, hosting_->SlotLayout(),
      ProcessExecutor::Config{
          .num_workers = num_workers_,
          .batches = arguments.batches(),
          .num_cpus = static_cast<std::uint32_t>(CurrentTopology()->cpus.size()),
          .step_timeout_ns = static_cast<std::int64_t>(step_timeout_seconds * 1e9)});
  return processes_;
}

void PythonPoolBinding::Construct(py::handle seed) {
  ResetRequest seeds;
  ReadSeeds(seed, pool_->num_envs(), pool_->num_envs(), seeds);
  RunInterruptible([&](Host& host) { return pool_->Construct(host); });
  pool_->SeedAll(seeds);
}

// --- Worker processes ----------------------------------------------------------------------------

std::vector<std::uint32_t> PythonPoolBinding::DeadWorkers() {
  const std::vector<std::uint32_t> dead = processes_->DeadWorkers();
  for (const std::uint32_t worker : dead) processes_->ResetWorker(worker);
  return dead;
}

void PythonPoolBinding::Attach(std::uint32_t worker, std::int64_t process_id, int ended_fd) {
  processes_->Attach(worker, process_id, ended_fd);
}

void PythonPoolBinding::RestartDeadWorkers() {
  if (processes_ == nullptr || !processes_->any_dead() || pool_->closed()) return;
  if (on_dead_workers_.is_none()) return;
  on_dead_workers_(py::cast(*this, py::return_value_policy::reference));
}

std::string PythonPoolBinding::Dump(py::handle object) const {
  std::string bytes = py::cast<std::string>(py::bytes(functions_.attr("dump")(object)));
  if (bytes.size() > processes_->max_job_bytes()) {
    throw Error(ErrorKind::kInput, "expected options or arguments of at most " +
                                       std::to_string(processes_->max_job_bytes()) +
                                       " bytes in pickled form, got " +
                                       std::to_string(bytes.size()));
  }
  return bytes;
}

// --- Actions -------------------------------------------------------------------------------------

void PythonPoolBinding::ReadActions(py::handle given, Actions& actions) const {
  if (!hosting_->object_actions) {
    return hosting_->action.TakeApart(given, actions.tree, actions.kept);
  }
  py::list packed = functions_.attr("pack")(given);
  actions.tree.rows = static_cast<std::uint32_t>(packed.size());
  for (const py::handle bytes : packed) {
    actions.tree.objects.emplace_back(PyBytes_AS_STRING(bytes.ptr()),
                                      static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
  }
  actions.kept.push_back(std::move(packed));
}

// --- Calls ---------------------------------------------------------------------------------------

std::unique_ptr<ResetStart> PythonPoolBinding::StartOf(const py::object& options) {
  if (options.is_none()) return nullptr;
  if (processes_ != nullptr) return std::make_unique<JobBytes>(Dump(options));
  return std::make_unique<PythonOptions>(options);
}

py::list PythonPoolBinding::CallMethod(py::object call, py::object env_id) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id, "env_id");
  std::shared_ptr<const void> what;
  if (processes_ != nullptr) {
    what = std::make_shared<JobBytes>(Dump(call));
  } else {
    what = KeepAlive(call);
  }
  std::vector<RowObject> objects;
  RunInterruptible([&](Host& host) { return pool.CallMethod(ViewOf(ids), what, host, objects); });
  py::list results;
  for (const RowObject& object : objects) results.append(ObjectOf(object));
  return results;
}

// --- Results -------------------------------------------------------------------------------------

py::object PythonPoolBinding::ObjectOf(const RowObject& object) const {
  if (processes_ == nullptr) {
    return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(object.value.get()));
  }
  const std::string_view bytes = BytesOf(object);
  if (!bytes.empty() && bytes[0] == RemoteGroup::kFailedCall) {
    return py::make_tuple(false, py::str(bytes.substr(1)));
  }
  return hosting_->load(py::bytes(bytes.data(), bytes.size()));
}

void PythonPoolBinding::JudgeOverlap() {
  if (measured_ == nullptr || pool_->closed()) return;
  const OverlapMeter::Times times = meter_->times();
  PythonGroup* const measured = std::exchange(measured_, nullptr);  // another thread may get here
  const py::object enough = functions_.attr("judge_overlap")(
      times.inside_seconds, times.cpu_seconds, times.elapsed_seconds);
  if (pool_->closed()) return;
  if (py::cast<bool>(enough)) {
    measured->Measure(nullptr);
  } else {
    measured_ = measured;
  }
}

py::object PythonPoolBinding::OutputOf(Batch& batch, bool start) {
  if (!start) JudgeOverlap();
  if (hosting_->observation.is_plain() && batch.objects.empty())
    return PoolBindingBase::OutputOf(batch, start);
  const std::vector<RowObject> objects = std::move(batch.objects);
  const auto rows = batch.rows();
  const py::tuple made = PoolBindingBase::OutputOf(batch, start);
  const std::size_t obs_at = is_dm_ ? 3 : 0;
  const std::size_t infos_at = py::len(made) - 1;
  const py::dict infos = made[infos_at];
  // Per object leaf, the values of all rows; None in the rows of failed environments.
  const auto empty = [&] {
    std::vector<py::list> leaves(hosting_->observation.num_objects());
    for (py::list& leaf : leaves) {
      for (std::uint32_t row = 0; row < rows; ++row) leaf.append(py::none());
    }
    return leaves;
  };
  const std::vector<py::list> leaves = empty();
  const std::vector<py::list> final_leaves = empty();
  const auto set_row = [](const std::vector<py::list>& into, std::uint32_t row, py::handle values) {
    if (values.is_none()) return;
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i][row] = py::tuple(values.cast<py::tuple>())[i];
  };
  const py::object add_info = functions_.attr("add_info");
  InfoGather own(infos, rows, add_info);
  std::optional<InfoGather> final;
  if (infos.contains("final_info")) final.emplace(py::dict(infos["final_info"]), rows, add_info);
  for (const RowObject& object : objects) {
    const std::uint32_t row = object.row;
    if (processes_ == nullptr) {
      const auto parts = py::reinterpret_borrow<py::tuple>(ObjectOf(object));
      if (!parts[0].is_none()) own.Add(row, parts[0]);
      set_row(leaves, row, parts[1]);
      if (!parts[2].is_none()) final->Add(row, parts[2]);
      set_row(final_leaves, row, parts[3]);
      continue;
    }
    const PackedRow::Parts parts = PackedRow::Unpack(BytesOf(object));
    py::tuple pickled;
    if (!parts.objects.empty()) {
      pickled = hosting_->load(py::bytes(parts.objects.data(), parts.objects.size()));
      set_row(leaves, row, pickled[0]);
      set_row(final_leaves, row, pickled[1]);
    }
    Py_ssize_t next_object = PackedRow::kFirstOfInfos;
    own.Add(row, parts.form, parts.numbers, pickled, next_object);
    if (!parts.final_form.empty()) {
      final->Add(row, parts.final_form, parts.final_numbers, pickled, next_object);
    }
  }
  py::tuple result(py::len(made));
  for (std::size_t i = 0; i < py::len(made); ++i) result[i] = made[i];
  result[obs_at] = hosting_->observation.Assemble(made[obs_at], leaves);
  if (infos.contains("final_obs")) {
    infos["final_obs"] = hosting_->observation.Assemble(infos["final_obs"], final_leaves);
  }
  return result;
}

void PythonPoolBinding::Register(py::module_& module) {
  auto pool = Define(module, "PythonPool");
  DefineConstructor<const py::tuple&, const py::object&, py::object, const py::kwargs&>(pool)
      .def_property_readonly("memory_fd", &PythonPoolBinding::memory_fd)
      .def("status_offset", &PythonPoolBinding::StatusOffset, py::arg("worker"), py::pos_only())
      .def("dead_workers", &PythonPoolBinding::DeadWorkers)
      .def("attach", &PythonPoolBinding::Attach, py::arg("worker"), py::arg("process_id"),
           py::arg("pidfd"), py::pos_only())
      .def("construct", &PythonPoolBinding::Construct, py::arg("seed"), py::pos_only())
      .def("call", &PythonPoolBinding::CallMethod, py::arg("call"), py::arg("env_id") = py::none(),
           py::pos_only());
}

}  // namespace engine::bindings
