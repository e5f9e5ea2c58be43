// What the Python classes of pools have in common. They differ in the kind of environments: those
// of a task of the registry (Pool), and those that are written in Python (PythonPool).
#ifndef ENGINE_BINDINGS_POOL_BINDING_BASE_H_
#define ENGINE_BINDINGS_POOL_BINDING_BASE_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/fork_guard.h"
#include "engine/bindings/array_argument.h"
#include "engine/bindings/batch_output.h"
#include "engine/bindings/gil_mutex.h"
#include "engine/bindings/python_host.h"
#include "engine/bindings/target_binding.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

// Copies all ids, whatever their number, so that the error can name an invalid id.
std::optional<ArrayArgument> ReadIds(pybind11::handle env_id, const char* name = "env_id",
                                     ArrayArgument::Keep keep = ArrayArgument::Keep::kGiven);

inline const ArrayView* ViewOf(const std::optional<ArrayArgument>& argument) {
  return argument ? &argument->view() : nullptr;
}

// Runs a call that waits. If a signal handler has raised an exception in this thread, that
// exception is raised, even if the handler has also closed the pool, or if the call is complete.
template <class PoolCall>
WaitResult RunInterruptible(PoolCall&& call, WaitReport report = nullptr) {
  PythonHost host(std::move(report));
  const RaisedInEnvironment raised;
  try {
    const WaitResult waited = call(host);
    if (waited == WaitResult::kInterrupted || RaisedInEnvironment::Raise())
      throw pybind11::error_already_set();
    return waited;
  } catch (const Error&) {
    if (RaisedInEnvironment::Raise() || PyErr_Occurred() != nullptr)
      throw pybind11::error_already_set();
    throw;
  }
}

// The calls whose code does not depend on the kind of environments, and the checks that precede
// every call.
class PoolBindingBase {
 public:
  PoolBindingBase();
  virtual ~PoolBindingBase();
  PoolBindingBase(const PoolBindingBase&) = delete;
  PoolBindingBase& operator=(const PoolBindingBase&) = delete;

  pybind11::object Reset(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                         pybind11::object options);
  // As Reset, but writes the fields of the target into its rows from `first_row` on.
  pybind11::object ResetInto(pybind11::object env_id, pybind11::object seed, pybind11::object mask,
                             pybind11::object options, const PythonTargetPtr& target,
                             pybind11::int_ first_row);
  void AsyncReset(pybind11::object env_id, pybind11::object seed);
  pybind11::object Recv(pybind11::object timeout);
  // As Recv, but stores the fields of the target in its rows [first_row, first_row + rows). Fields
  // that were not written there directly (see AddTargets) are copied. The batch of an interrupted
  // reset may have more rows than batch_size; it is returned as by Recv.
  pybind11::object RecvInto(pybind11::object timeout, const PythonTargetPtr& target,
                            pybind11::int_ first_row);
  PythonTargetPtr MakeTarget(const pybind11::dict& arrays) const;
  // The next batches for which asynchronous calls need memory are written to the target.
  void AddTargets(const PythonTargetPtr& target, pybind11::int_ first_row, pybind11::int_ batches);
  void ClearTargets();
  // The number of batches that have memory or a target, counted from the next batch that Recv
  // returns.
  std::uint64_t NumOpened();
  void Drain();
  // The order of batches: see Pool::RecordBatches. The files are passed as descriptors, which the
  // pool owns from then on. `max_bytes`: as in BatchLogWriter.
  std::uint64_t NumReceived();
  void SetNumReceived(std::uint64_t n);
  void RecordBatches(int descriptor, bool digests, std::uint64_t max_bytes);
  void StopRecordingBatches();
  // `then`: a descriptor of the same file, for what follows the log; or -1.
  void ReplayBatches(int descriptor, int then, std::uint64_t max_bytes);
  int FlushBatches();
  pybind11::dict Stats() const;
  // EnvHealth of each environment: arrays by name.
  pybind11::dict Health();
  // `watcher` is called as watcher("waits", seconds, env_ids, longest_seconds) while a call waits,
  // and returns after how many seconds it is called next; and as watcher("failed", env_ids, causes,
  // None) for failures that raise no error. Its exceptions are printed. Called before other threads
  // have the pool.
  void SetWatcher(pybind11::object watcher) { watcher_ = std::move(watcher); }
  // pool_telemetry.h
  pybind11::dict Detail() const;
  // Begins to record; returns the current tick, for Events. Throws Error{kInput} if the executor of
  // this pool cannot record.
  std::uint64_t Record(pybind11::int_ events_per_thread);
  void StopRecording();
  pybind11::list Events(std::uint64_t since) const;
  // Returns whether the caller may close the environments, because nobody uses them any more. False
  // if this thread closes the pool from within a call, as a signal handler may, and in a forked
  // child, to which they do not belong.
  bool Close(pybind11::object timeout);

  std::uint32_t num_envs() const { return pool_->num_envs(); }
  std::uint32_t batch_size() const { return pool_->batch_size(); }
  std::uint32_t num_threads() const { return pool_->num_threads(); }
  bool closed() const { return pool_->closed(); }

 protected:
  // Throws Error{kForked}. The pool's calls throw Error{kClosed}.
  Pool& Usable();
  // Called before each call of the pool. An exception ends the call, which has changed nothing.
  virtual void BeforeCall() {}
  // Reads the options of a reset, a dict or None, into `request`.
  virtual void ReadResetOptions(const pybind11::object& options, const ArrayView* ids,
                                ResetRequest& request) = 0;
  // The Python result of a call; throws EnvironmentFailedError if environments of the batch have
  // failed.
  pybind11::object ResultOf(Batch& batch, bool start);
  virtual pybind11::object OutputOf(Batch& batch, bool start) {
    return start ? output_->Start(batch) : output_->Transition(batch);
  }
  // For the calls that wait.
  WaitReport Report() {
    if (!watcher_) return nullptr;
    return [this](double seconds) { return ReportWait(seconds); };
  }
  // As ResultOf, but stores the fields of `target`, which may be empty, in its rows.
  pybind11::object ResultIn(const RowTarget& target, Batch& batch, bool start);
  // The number of rows of a step that sends and receives; 0 in ordered mode, where the pool checks
  // the number.
  std::uint64_t RowsOfQueuedStep() const { return pool_->ordered() ? 0 : pool_->batch_size(); }
  // Checks a target that Python has passed, and adds it to targets_.
  RowTarget ReadTarget(const PythonTargetPtr& target, const pybind11::int_& first_row,
                       std::uint64_t rows);
  ResetRequest ReadReset(const std::optional<ArrayArgument>& ids, pybind11::handle seed) const;
  // Frees the pool, without the GIL.
  void Discard();
  // Whether this process was forked from the process that made the pool.
  bool InChild() const { return fork_guard_.InChild(); }

  // Set by the constructor of the derived class. The pool is shared with the compiled programs that
  // step it.
  std::shared_ptr<Pool> pool_;
  std::optional<BatchOutput> output_;
  // Set by the derived class if only the caller steps, so that a forked child has all of the pool.
  bool one_thread_ = false;

 private:
  pybind11::object ResetTo(const RowTarget& target, pybind11::handle env_id, pybind11::handle seed,
                           pybind11::handle mask, const pybind11::object& options);
  pybind11::object ReceivedBy(const pybind11::object& timeout, Pool& pool, const RowTarget& target);
  double ReportWait(double seconds);
  // Returns null if the watcher raises an exception.
  pybind11::object CallWatcher(const pybind11::tuple& arguments) const;
  void ReportFailures(const Failures& failed) const;
  // In a forked child: makes this process the owner of its copy of the pool, and returns true, if
  // no call and no thread was inside the pool at the fork.
  bool GoesOnInChild();

  ForkGuard fork_guard_;
  GilMutex fork_mutex_;     // several threads of a child may make its first call
  const std::uint64_t id_;  // of this pool in this process
  TargetsInUse targets_;
  pybind11::object watcher_;
};

// The Python class of a pool. `Binding`, the derived class, has this function, which calls `call`
// with a view of the actions and returns its result:
//   template <class Call> auto WithActions(pybind11::handle actions, const Call& call) const;
template <class Binding>
class PoolClass : public PoolBindingBase {
 public:
  // Handles, because the caller of a Python function holds references to its arguments.
  pybind11::object Step(pybind11::handle actions, pybind11::handle env_id) {
    return StepTo({}, actions, env_id);
  }
  // As Step, but writes the fields of the target into its rows from `first_row` on.
  pybind11::object StepInto(pybind11::handle actions, pybind11::handle env_id,
                            const PythonTargetPtr& target, const pybind11::int_& first_row) {
    return StepTo(ReadTarget(target, first_row, RowsOfQueuedStep()), actions, env_id);
  }
  void Send(pybind11::handle actions, pybind11::handle env_id) {
    Pool& pool = Usable();
    binding().WithActions(actions, [&](const ArrayView& view) {
      const std::optional<ArrayArgument> ids = ReadIds(env_id);
      PythonHost host;
      pool.Send(view, ViewOf(ids), host);
    });
  }

 protected:
  // Defines the class, with the methods that all pools have.
  static pybind11::class_<Binding> Define(pybind11::module_& module, const char* name);

 private:
  const Binding& binding() const { return static_cast<const Binding&>(*this); }
  pybind11::object StepTo(const RowTarget& target, pybind11::handle actions,
                          pybind11::handle env_id) {
    Pool& pool = Usable();
    return binding().WithActions(actions, [&](const ArrayView& view) {
      const std::optional<ArrayArgument> ids = ReadIds(env_id);
      Batch batch;
      RunInterruptible(
          [&](Host& host) { return pool.Step(view, ViewOf(ids), host, batch, target); }, Report());
      return ResultIn(target, batch, false);
    });
  }
};

template <class Binding>
pybind11::class_<Binding> PoolClass<Binding>::Define(pybind11::module_& module, const char* name) {
  namespace py = pybind11;
  py::class_<Binding> pool(module, name);
  pool.def_property_readonly("num_envs", &Binding::num_envs)
      .def_property_readonly("batch_size", &Binding::batch_size)
      .def_property_readonly("num_threads", &Binding::num_threads)
      .def_property_readonly("closed", &Binding::closed)
      .def("step", &Binding::Step, py::arg("actions"), py::arg("env_id") = py::none(),
           py::pos_only())
      .def("send", &Binding::Send, py::arg("actions"), py::arg("env_id") = py::none(),
           py::pos_only())
      .def("recv", &Binding::Recv, py::arg("timeout") = py::none(), py::pos_only())
      .def("reset", &Binding::Reset, py::arg("env_id"), py::arg("seed"), py::arg("mask"),
           py::arg("options"), py::pos_only())
      .def("async_reset", &Binding::AsyncReset, py::arg("env_id"), py::arg("seed"), py::pos_only())
      .def("make_target", &Binding::MakeTarget, py::arg("arrays"), py::pos_only())
      .def("step_into", &Binding::StepInto, py::arg("actions"), py::arg("env_id"),
           py::arg("target").none(false), py::arg("first_row"), py::pos_only())
      .def("reset_into", &Binding::ResetInto, py::arg("env_id"), py::arg("seed"), py::arg("mask"),
           py::arg("options"), py::arg("target").none(false), py::arg("first_row"), py::pos_only())
      .def("recv_into", &Binding::RecvInto, py::arg("timeout"), py::arg("target").none(false),
           py::arg("first_row"), py::pos_only())
      .def("add_targets", &Binding::AddTargets, py::arg("target").none(false), py::arg("first_row"),
           py::arg("batches"), py::pos_only())
      .def("clear_targets", &Binding::ClearTargets)
      .def_property_readonly("num_opened", &Binding::NumOpened)
      .def("drain", &Binding::Drain)
      .def_property("num_received", &Binding::NumReceived, &Binding::SetNumReceived)
      .def("record_batches", &Binding::RecordBatches, py::arg("descriptor"), py::arg("digests"),
           py::arg("max_bytes"), py::pos_only())
      .def("stop_recording_batches", &Binding::StopRecordingBatches)
      .def("replay_batches", &Binding::ReplayBatches, py::arg("descriptor"), py::arg("then"),
           py::arg("max_bytes"), py::pos_only())
      .def("flush_batches", &Binding::FlushBatches)
      .def("stats", &Binding::Stats)
      .def("health", &Binding::Health)
      .def("set_watcher", &Binding::SetWatcher, py::arg("watcher"), py::pos_only())
      .def("detail", &Binding::Detail)
      .def("record", &Binding::Record, py::arg("events_per_thread"), py::pos_only())
      .def("stop_recording", &Binding::StopRecording)
      .def("events", &Binding::Events, py::arg("since"), py::pos_only())
      .def("close", &Binding::Close, py::arg("timeout") = py::none(), py::pos_only());
  return pool;
}

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_BINDING_BASE_H_
