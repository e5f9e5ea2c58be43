#include "engine/bindings/python_envs/python_pool_binding.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/constructor.h"
#include "engine/bindings/errors.h"
#include "engine/bindings/python_envs/python_infos.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/reset_arguments.h"
#include "engine/runtime/inline_executor.h"
#include "engine/runtime/thread_executor.h"
#include "engine/topology/current_topology.h"
#include "engine/topology/placement.h"

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

// Gathers the objects of the rows of a batch: infos, and object leaves of observations.
class ObjectGather {
 public:
  ObjectGather(const PythonHosting& hosting, const py::dict& infos, std::uint32_t rows,
               const py::object& add_info)
      : hosting_(hosting),
        add_info_(add_info),
        leaves_(Empty(rows)),
        final_leaves_(Empty(rows)),
        own_(infos, rows, add_info_, refused_) {
    if (infos.contains("final_info"))
      final_.emplace(py::dict(infos["final_info"]), rows, add_info_, refused_);
  }

  // `parts`: those of PythonGroup::RowParts.
  void Add(std::uint32_t row, const py::tuple& parts) {
    if (!parts[0].is_none()) own_.Add(row, parts[0]);
    SetRow(leaves_, row, parts[1]);
    if (!parts[2].is_none()) final_->Add(row, parts[2]);
    SetRow(final_leaves_, row, parts[3]);
  }
  void Add(std::uint32_t row, std::string_view packed) {
    PackedRow::Parts parts;
    try {
      parts = PackedRow::Unpack(packed);
    } catch (const Error& error) {
      damaged_.emplace_back(row, error.what());
      return;
    }
    py::tuple pickled;
    if (!parts.objects.empty()) {
      try {
        pickled = hosting_.load(py::bytes(parts.objects.data(), parts.objects.size()));
      } catch (const py::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
        unreadable_.emplace_back(row, error.value());
        return;
      }
      SetRow(leaves_, row, pickled[0]);
      SetRow(final_leaves_, row, pickled[1]);
    }
    Py_ssize_t next_object = PackedRow::kFirstOfInfos;
    own_.Add(row, parts.form, parts.numbers, pickled, next_object);
    if (!parts.final_form.empty()) {
      final_->Add(row, parts.final_form, parts.final_numbers, pickled, next_object);
    }
  }

  // Per object leaf, the values of all rows; None in the rows of failed environments.
  const std::vector<py::list>& leaves() const { return leaves_; }
  const std::vector<py::list>& final_leaves() const { return final_leaves_; }

  // What is left out, with the reasons. `env_ids`: of the rows.
  NamedEnvironments LeftOut(const std::int32_t* env_ids) const {
    NamedEnvironments envs;
    const auto name = [&](std::uint32_t row, const std::string& why) {
      const auto env = static_cast<std::uint32_t>(env_ids[row]);
      if (!envs.empty() && envs.back().first == env) {
        envs.back().second += "; " + why;
      } else {
        envs.emplace_back(env, why);
      }
    };
    const auto add = [&](const InfoGather::Misfits& rows, const std::string& what) {
      for (const auto& [row, error] : rows) {
        const auto text = py::cast<std::string>(hosting_.describe(error));
        name(row, what + text.substr(0, text.find('\n')));  // without the traceback
      }
    };
    for (const auto& [row, why] : damaged_) name(row, why);
    add(unreadable_, "what it returned cannot be unpickled: ");
    add(refused_, "");
    return envs;
  }

 private:
  std::vector<py::list> Empty(std::uint32_t rows) const {
    std::vector<py::list> leaves(hosting_.observation.num_objects());
    for (py::list& leaf : leaves) {
      for (std::uint32_t row = 0; row < rows; ++row) leaf.append(py::none());
    }
    return leaves;
  }
  static void SetRow(const std::vector<py::list>& into, std::uint32_t row, py::handle values) {
    if (values.is_none()) return;
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i][row] = py::tuple(values.cast<py::tuple>())[i];
  }

  const PythonHosting& hosting_;
  const py::object add_info_;
  const std::vector<py::list> leaves_, final_leaves_;
  InfoGather::Misfits refused_, unreadable_;
  std::vector<std::pair<std::uint32_t, std::string>> damaged_;
  InfoGather own_;
  std::optional<InfoGather> final_;
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
    pool_ = std::make_shared<Pool>(StepInWorkers(read), read.pool);
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
    group->Measure(meter_);
  }
  return std::make_shared<ThreadExecutor>(
      std::move(group),
      ThreadExecutor::Config{
          .batches = arguments.batches(), .num_threads = num_workers_, .actions = sink},
      *CurrentTopology());
}

std::shared_ptr<Executor> PythonPoolBinding::StepInWorkers(const PoolArguments& arguments) {
  processes_ = std::make_shared<ProcessExecutor>(
      MakePythonSpec(hosting_->observation), arguments.group, hosting_->SlotLayout(),
      ProcessExecutor::Config{
          .num_workers = num_workers_,
          .batches = arguments.batches(),
          .num_cpus = static_cast<std::uint32_t>(NumUsableProcessors(*CurrentTopology())),
          .step_timeout_ns = arguments.pool.step_timeout_ns});
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

void PythonPoolBinding::Attach(std::uint32_t worker, std::int32_t process_id, int fd) {
  processes_->Attach(worker, {.id = process_id, .fd = fd});
}

void PythonPoolBinding::KillHanging(double limit) {
  processes_->KillHanging(static_cast<std::int64_t>(limit * 1e9));
}

void PythonPoolBinding::BeforeCall() {
  if (judges_.load(std::memory_order_relaxed) && judges_.exchange(false)) JudgeOverlap();
  RestartDeadWorkers();
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

void PythonPoolBinding::ReadResetOptions(const py::object& options, const ArrayView* /*ids*/,
                                         ResetRequest& request) {
  if (options.is_none()) return;
  if (processes_ != nullptr) {
    request.start = std::make_unique<JobBytes>(Dump(options));
  } else {
    request.start = std::make_unique<PythonOptions>(options);
  }
}

py::object PythonPoolBinding::Observe(py::object env_id) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id, "env_id");
  ResetRequest request = ReadReset(ids, py::none());
  std::size_t n = pool.num_envs();
  if (ids) n = ids->view().num_dims == 0 ? 1 : static_cast<std::size_t>(ids->view().shape[0]);
  request.mask.assign(n, 0);
  Batch batch;
  RunInterruptible(
      [&](Host& host) { return pool.Reset(ViewOf(ids), std::move(request), host, batch); });
  return ResultIn({}, batch, true);
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
  if (pool_->closed()) return;
  PythonGroup* const measured = measured_.exchange(nullptr);  // another thread may get here
  if (measured == nullptr) return;
  const OverlapMeter::Times times = meter_->times();
  const py::object enough = py::reinterpret_steal<py::object>(
      PyObject_CallFunction(functions_.attr("judge_overlap").ptr(), "ddd", times.inside_seconds,
                            times.cpu_seconds, times.elapsed_seconds));
  if (!pool_->closed()) {
    if (!enough || py::cast<bool>(enough)) {
      measured->StopMeasuring();
    } else {
      measured_ = measured;
    }
  }
  if (!enough) throw py::error_already_set();  // its warning is an exception
}

py::object PythonPoolBinding::OutputOf(Batch& batch, bool start) {
  judges_.store(measured_.load(std::memory_order_relaxed) != nullptr && !start,
                std::memory_order_relaxed);
  if (hosting_->observation.is_plain() && batch.objects.empty())
    return PoolBindingBase::OutputOf(batch, start);
  const std::vector<RowObject> objects = std::move(batch.objects);
  const auto rows = batch.rows();
  const auto* const env_ids = batch.Data<std::int32_t>(batch.layout().env_id);
  const py::tuple made = PoolBindingBase::OutputOf(batch, start);
  const std::size_t obs_at = is_dm_ ? 3 : 0;
  const std::size_t infos_at = py::len(made) - 1;
  const py::dict infos = made[infos_at];
  ObjectGather gather(*hosting_, infos, rows, functions_.attr("add_info"));
  for (const RowObject& object : objects) {
    if (processes_ == nullptr) {
      gather.Add(object.row, ObjectOf(object));
    } else {
      gather.Add(object.row, BytesOf(object));
    }
  }
  py::tuple result(py::len(made));
  for (std::size_t i = 0; i < py::len(made); ++i) result[i] = made[i];
  result[obs_at] = hosting_->observation.Assemble(made[obs_at], gather.leaves());
  if (infos.contains("final_obs")) {
    infos["final_obs"] = hosting_->observation.Assemble(infos["final_obs"], gather.final_leaves());
  }
  const NamedEnvironments left_out = gather.LeftOut(env_ids);
  if (!left_out.empty() && batch.failed.empty()) {
    if (!pool_->resets_failed()) ThrowInfosLeftOut(left_out, result);
    batch.raises = false;
  }
  batch.failed.insert(batch.failed.end(), left_out.begin(), left_out.end());
  return result;
}

void PythonPoolBinding::Register(py::module_& module) {
  auto pool = Define(module, "PythonPool");
  DefineConstructor<const py::tuple&, const py::object&, py::object, const py::kwargs&>(pool)
      .def_property_readonly("memory_fd", &PythonPoolBinding::memory_fd)
      .def("status_offset", &PythonPoolBinding::StatusOffset, py::arg("worker"), py::pos_only())
      .def("dead_workers", &PythonPoolBinding::DeadWorkers)
      .def("attach", &PythonPoolBinding::Attach, py::arg("worker"), py::arg("process_id"),
           py::arg("fd"), py::pos_only())
      .def("kill_hanging", &PythonPoolBinding::KillHanging, py::arg("limit"), py::pos_only())
      .def("observe", &PythonPoolBinding::Observe, py::arg("env_id"), py::pos_only())
      .def("construct", &PythonPoolBinding::Construct, py::arg("seed"), py::pos_only())
      .def("call", &PythonPoolBinding::CallMethod, py::arg("call"), py::arg("env_id") = py::none(),
           py::pos_only());
}

}  // namespace engine::bindings
