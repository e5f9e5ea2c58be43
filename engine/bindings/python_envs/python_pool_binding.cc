#include "engine/bindings/python_envs/python_pool_binding.h"

#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/python_envs/python_infos.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/reset_arguments.h"
#include "engine/runtime/caller_executor.h"
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

PythonPoolBinding::PythonPoolBinding(py::tuple observation_tree, py::object action_tree,
                                     py::object functions, py::object workers,
                                     const py::dict& settings)
    : hosting_(std::make_shared<PythonHosting>(observation_tree, action_tree, functions)),
      functions_(functions),
      workers_(workers) {
  const PythonPoolConfig config = ReadPythonPoolConfig(settings);
  is_dm_ = config.pool.dm_columns;
  ResetRequest seeds;
  ReadSeeds(settings["seed"], config.group.num_envs, config.group.num_envs, seeds);
  try {
    if (workers.is_none()) {
      MakeInCaller(config);
    } else if (py::isinstance<py::int_>(workers)) {
      MakeWithThreads(config);
    } else {
      MakeWithWorkers(config);
    }
    RunCall([&](Host& host) { return pool_->Construct(host); });
    pool_->SeedAll(seeds);
  } catch (...) {
    Discard();
    throw;
  }
  output_.emplace(pool_->spec(), is_dm_, py::cast<bool>(settings["own_infos"]));
}

void PythonPoolBinding::MakeInCaller(const PythonPoolConfig& config) {
  const auto actions = std::make_shared<HeapActions>(hosting_->SlotLayout(), config.group.num_envs);
  auto group = std::make_unique<PythonGroup>(MakePythonSpec(hosting_->observation), config.group,
                                             hosting_, actions->buffers.origin());
  pool_ = std::make_shared<Pool>(
      std::make_shared<CallerExecutor>(std::move(group),
                                       std::shared_ptr<ActionSink>(actions, &actions->staging),
                                       config.batches()),
      config.pool);
}

void PythonPoolBinding::MakeWithThreads(PythonPoolConfig config) {
  config.pool.num_threads = py::cast<std::uint32_t>(workers_);
  const auto actions = std::make_shared<HeapActions>(hosting_->SlotLayout(), config.group.num_envs);
  auto group = std::make_unique<PythonGroup>(MakePythonSpec(hosting_->observation), config.group,
                                             hosting_, actions->buffers.origin());
  if (config.pool.num_threads > 1 && !functions_.attr("judge_overlap").is_none()) {
    measured_ = group.get();
    measured_->Measure(meter_);
  }
  pool_ =
      std::make_shared<Pool>(std::make_shared<ThreadExecutor>(
                                 std::move(group),
                                 ThreadExecutor::Config{.batches = config.batches(),
                                                        .num_threads = config.pool.num_threads,
                                                        .actions = {actions, &actions->staging}},
                                 *CurrentTopology()),
                             config.pool);
}

void PythonPoolBinding::MakeWithWorkers(const PythonPoolConfig& config) {
  const auto num_workers = py::cast<std::uint32_t>(workers_.attr("num_workers"));
  const auto timeout_seconds = py::cast<double>(workers_.attr("step_timeout_seconds"));
  processes_ = std::make_shared<ProcessExecutor>(
      MakePythonSpec(hosting_->observation), config.group, hosting_->SlotLayout(),
      ProcessExecutor::Config{
          .num_workers = num_workers,
          .batches = config.batches(),
          .num_cpus = static_cast<std::uint32_t>(CurrentTopology()->cpus.size()),
          .step_timeout_ns = static_cast<std::int64_t>(timeout_seconds * 1e9)});
  pool_ = std::make_shared<Pool>(processes_, config.pool);
  for (std::uint32_t worker = 0; worker < num_workers; ++worker) Start(worker);
}

void PythonPoolBinding::Start(std::uint32_t worker) {
  const py::tuple started =
      workers_.attr("start")(worker, processes_->fd(), processes_->status_offset(worker));
  processes_->Attach(worker, py::cast<std::int64_t>(started[0]), py::cast<int>(started[1]));
}

void PythonPoolBinding::Prepare() {
  if (processes_ == nullptr || !processes_->any_dead() || pool_->closed()) return;
  if (!py::cast<bool>(workers_.attr("restarts"))) return;
  // Starting a process releases the GIL, so another thread may call this function meanwhile. The
  // worker that it needs may then still be dead.
  if (restarting_) return;
  restarting_ = true;
  const std::unique_ptr<bool, void (*)(bool*)> done(&restarting_,
                                                    [](bool* flag) { *flag = false; });
  for (const std::uint32_t worker : processes_->DeadWorkers()) {
    processes_->ResetWorker(worker);
    Start(worker);
  }
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

py::object PythonPoolBinding::Step(py::object actions, py::object env_id) {
  return StepTo({}, actions, env_id);
}

py::object PythonPoolBinding::StepInto(py::object actions, py::object env_id,
                                       const PythonTargetPtr& target, py::int_ first_row) {
  return StepTo(ReadTarget(target, first_row, RowsOfQueuedStep()), actions, env_id);
}

py::object PythonPoolBinding::StepTo(const RowTarget& target, py::handle actions,
                                     py::handle env_id) {
  Pool& pool = Usable();
  Actions read;
  ReadActions(actions, read);
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  Batch batch;
  RunCall([&](Host& host) { return pool.Step(read.view(), ViewOf(ids), host, batch, target); });
  return ResultIn(target, batch, false);
}

void PythonPoolBinding::Send(py::object actions, py::object env_id) {
  Pool& pool = Usable();
  Actions read;
  ReadActions(actions, read);
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  PythonHost host;
  pool.Send(read.view(), ViewOf(ids), host);
}

py::object PythonPoolBinding::Reset(py::object env_id, py::object seed, py::object mask,
                                    py::object options) {
  return ResetTo({}, env_id, seed, mask, options);
}

py::object PythonPoolBinding::ResetInto(py::object env_id, py::object seed, py::object mask,
                                        py::object options, const PythonTargetPtr& target,
                                        py::int_ first_row) {
  return ResetTo(ReadTarget(target, first_row, 0), env_id, seed, mask, options);
}

py::object PythonPoolBinding::ResetTo(const RowTarget& target, py::handle env_id, py::handle seed,
                                      py::handle mask, const py::object& options) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  ResetRequest request = ReadReset(ids, seed);
  ReadMask(mask, pool.num_envs(), request);
  if (ids && !request.mask.empty()) {
    throw Error(ErrorKind::kInput, "reset: expected env_id or options[\"reset_mask\"], got both");
  }
  if (!options.is_none()) {
    if (processes_ != nullptr) {
      request.start = std::make_unique<JobBytes>(Dump(options));
    } else {
      request.start = std::make_unique<PythonOptions>(options);
    }
  }
  Batch batch;
  RunCall(
      [&](Host& host) { return pool.Reset(ViewOf(ids), std::move(request), host, batch, target); });
  return ResultIn(target, batch, true);
}

py::list PythonPoolBinding::CallEnvs(py::object call, py::object env_ids) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_ids, "env_ids");
  std::shared_ptr<const void> what;
  if (processes_ != nullptr) {
    what = std::make_shared<JobBytes>(Dump(call));
  } else {
    what = KeepAlive(call);
  }
  std::vector<RowObject> objects;
  RunCall([&](Host& host) { return pool.CallEnvs(ViewOf(ids), what, host, objects); });
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
  const bool plain = hosting_->observation.is_plain() && batch.objects.empty();
  if (plain) return start ? output_->Start(batch) : output_->Transition(batch);
  const std::vector<RowObject> objects = std::move(batch.objects);
  const auto rows = batch.rows();
  const py::tuple made = start ? output_->Start(batch) : output_->Transition(batch);
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
  py::class_<PythonPoolBinding> pool(module, "PythonPool");
  pool.def(py::init<py::tuple, py::object, py::object, py::object, const py::dict&>(),
           py::arg("observation_tree"), py::arg("action_tree"), py::arg("functions"),
           py::arg("workers"), py::arg("settings"))
      .def("call", &PythonPoolBinding::CallEnvs, py::arg("call"), py::arg("env_ids") = py::none(),
           py::pos_only());
  DefineCalls(pool);
}

}  // namespace engine::bindings
