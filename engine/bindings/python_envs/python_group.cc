#include "engine/bindings/python_envs/python_group.h"

#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/python_envs/hosted_env.h"
#include "engine/bindings/python_envs/returned_value.h"
#include "engine/bindings/python_host.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Returns the result of function(argument).
py::object CallOne(py::handle function, py::handle argument) {
  PyObject* const result =
      CallPython([&] { return PyObject_CallOneArg(function.ptr(), argument.ptr()); });
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

py::object Attribute(py::handle object, const char* name) {
  PyObject* const value = CallPython([&] { return PyObject_GetAttrString(object.ptr(), name); });
  if (value == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(value);
}

// Releases a reference, which may be null. The last one may run code of Python.
void Release(PyObject* object) {
  CallPython([object] { Py_XDECREF(object); });
}

bool FlagOf(py::handle value, const char* place) {
  if (value.ptr() == Py_True) return true;
  if (value.ptr() == Py_False) return false;
  const int truth = CallPython([&] { return PyObject_IsTrue(value.ptr()); });
  if (truth >= 0) return truth != 0;
  ClearException();
  throw Unexpected(place, "a bool", value);
}

double RewardOf(py::handle value) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  double number = CallPython([&] { return PyFloat_AsDouble(value.ptr()); });
  if (number != -1.0 || PyErr_Occurred() == nullptr) return number;
  ClearException();
  // An array with one element counts as a number, as in an assignment to an element of an array.
  const py::object item = py::reinterpret_steal<py::object>(
      CallPython([&] { return PyObject_CallMethod(value.ptr(), "item", nullptr); }));
  if (item) number = CallPython([&] { return PyFloat_AsDouble(item.ptr()); });
  if (PyErr_Occurred() == nullptr) return number;
  ClearException();
  throw Unexpected("step(): reward", "a number", value);
}

// Returns `result` if it is a tuple of `n` elements.
py::handle CheckTuple(const py::object& result, Py_ssize_t n, const char* method,
                      const char* elements) {
  if (!PyTuple_Check(result.ptr()) || PyTuple_GET_SIZE(result.ptr()) != n) {
    throw Unexpected(method, "a tuple " + std::string(elements), result);
  }
  return result;
}

// Throws if infos are not a mapping. None counts as an empty dict.
void CheckInfo(py::handle info, const char* method) {
  if (PyDict_Check(info.ptr()) || info.is_none() || py::hasattr(info, "items")) return;
  throw Unexpected(std::string(method) + ": info", "a dict", info);
}

py::object Borrow(py::handle tuple, Py_ssize_t index) {
  return py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(tuple.ptr(), index));
}

// Returns None for missing or empty infos.
py::object InfoOrNone(const py::object& info) {
  const bool empty = !info || (PyDict_CheckExact(info.ptr()) && PyDict_Size(info.ptr()) == 0);
  return empty ? py::none() : info;
}

}  // namespace

PythonHosting::PythonHosting(const py::tuple& observation_tree, const py::object& action_tree,
                             const py::object& functions)
    : observation(observation_tree, "observation"),
      action(action_tree.is_none() ? py::make_tuple("tuple", py::list())
                                   : py::cast<py::tuple>(action_tree),
             "actions"),
      object_actions(action_tree.is_none()),
      make(functions.attr("make")),
      store(functions.attr("store")),
      describe(functions.attr("describe")),
      load(functions.attr("load")),
      call(functions.attr("call")),
      copy(functions.attr("copy")) {}

TreeSlotLayout PythonHosting::SlotLayout() const { return action.SlotLayout(); }

EnvSpec MakePythonSpec(const SpaceTree& observation) {
  EnvSpec spec;
  spec.observation = observation.Columns();
  spec.action = SpaceSpec::MultiBinary(1);
  return spec;
}

PythonOptions::~PythonOptions() {
  const GilHeld gil;
  options = error = py::object();
}

void PythonOptions::ThrowIfUnreadable() const {
  if (!error) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

PythonGroup::PythonGroup(const EnvSpec& spec, const GroupConfig& config,
                         std::shared_ptr<PythonHosting> hosting, const std::byte* origin)
    : EnvGroup(spec, config, {.receives_seed = true}),
      hosting_(std::move(hosting)),
      slot_layout_(hosting_->SlotLayout()),
      origin_(origin),
      slots_(config.num_envs) {}

PythonGroup::~PythonGroup() {
  if (Py_IsInitialized() == 0) {
    for (Slot& slot : slots_) {
      for (py::object* object : slot.Objects()) (void)object->release();
    }
    new std::shared_ptr<PythonHosting>(std::move(hosting_));  // never freed
    return;
  }
  const GilHeld gil;
  for (Slot& slot : slots_) {
    Release(slot.object);
    for (py::object* object : slot.Objects()) Release(object->release().ptr());
  }
  slots_.clear();
  hosting_.reset();
}

void PythonGroup::Construct(std::uint32_t begin, std::uint32_t end) {
  const GilHeld gil;
  for (std::uint32_t env = begin; env < end; ++env) {
    Slot& slot = slots_[env];
    slot.env = Call(hosting_->make, py::make_tuple(env));
    slot.step = Attribute(slot.env, "step");
    slot.reset = Attribute(slot.env, "reset");
  }
}

std::string PythonGroup::Describe(py::error_already_set& error) const {
  try {
    const py::object value = error.value();
    if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
    return py::cast<std::string>(CallOne(hosting_->describe, value));
  } catch (const std::exception&) {
    PyErr_Clear();
    return "an exception that cannot be described";
  }
}

// Runs body(k) until `stop` stops the loop or an interrupt has arrived in an environment. If `stop`
// is null, runs body(k) for all k.
template <class Body, class OnFailure>
std::uint32_t PythonGroup::ForEach(std::uint32_t begin, std::uint32_t end,
                                   const StopCondition* stop, Body&& body, OnFailure&& on_failure) {
  const GilHeld gil;
  const OverlapMeter::Scope measured(meter_.load(std::memory_order_relaxed));
  for (std::uint32_t k = begin; k < end; ++k) {
    try {
      body(k);
    } catch (py::error_already_set& error) {
      const bool interrupted = !error.matches(PyExc_Exception);
      on_failure(k, Describe(error).c_str());
      if (interrupted) {
        // The call on this thread raises it again. If there is none, the main thread is
        // interrupted.
        if (!RaisedInEnvironment::Keep(error) && error.matches(PyExc_KeyboardInterrupt)) {
          PyErr_SetInterrupt();
        }
        if (stop != nullptr) return k + 1 - begin;
      }
    } catch (const std::exception& error) {
      on_failure(k, error.what());
    }
    if (stop != nullptr && stop->ShouldStop()) return k + 1 - begin;
  }
  return end - begin;
}

std::uint32_t PythonGroup::StepRows(const EnvRange& range, ActionSlots actions,
                                    const BatchView& out, const StopCondition& stop,
                                    StepCounts& counts) {
  return ForEach(
      range.begin, range.end, &stop,
      [&](std::uint32_t k) {
        Outcome outcome;
        StepEnv(range.Env(k), actions, outcome, counts);
        WriteRow(range.Env(k), range.first_row + k, outcome, out);
      },
      [&](std::uint32_t k, const char* what) {
        Fail(range.Env(k), range.first_row + k, what, out, counts);
      });
}

std::uint32_t PythonGroup::ResetRows(const EnvRange& range, const ResetPlan& plan,
                                     const BatchView& out, const StopCondition& stop,
                                     StepCounts& counts) {
  return ForEach(
      range.begin, range.end, &stop,
      [&](std::uint32_t k) {
        const std::uint32_t env = range.Env(k);
        Outcome outcome;
        if (plan.mask == nullptr || plan.mask[k] != 0) {
          if (plan.seed_by_env) Seed(env, plan.first_seed + env);
          if (plan.seeds != nullptr && plan.has_seed[k] != 0) Seed(env, plan.seeds[k]);
          Restart(env, plan.start, true, outcome, counts);
        } else {
          slots_[env].info = py::object();
          slots_[env].final_obs = slots_[env].final_info = py::object();
        }
        WriteRow(env, range.first_row + k, outcome, out);
      },
      [&](std::uint32_t k, const char* what) {
        Fail(range.Env(k), range.first_row + k, what, out, counts);
      });
}

std::uint32_t PythonGroup::RenderRows(const EnvRange& /*range*/, std::uint8_t* /*pictures*/,
                                      const StopCondition& /*stop*/, StepCounts& /*counts*/) {
  throw Error(ErrorKind::kInternal, "Python environments are drawn by a call");
}

std::uint32_t PythonGroup::CallMethodRows(const EnvRange& range, const void* call,
                                          const StopCondition& stop, StepCounts& /*counts*/) {
  const py::handle what(static_cast<PyObject*>(const_cast<void*>(call)));
  return ForEach(
      range.begin, range.end, &stop,
      [&](std::uint32_t k) {
        const std::uint32_t env = range.Env(k);
        Slot& slot = slots_[env];
        if (slot.obs) slot.obs = CopyOf(slot.obs, hosting_->copy);  // the method may change it
        const py::object hosted = py::cast(HostedEnv(*this, env));
        const HostedEnv::Scope valid(hosted);
        const py::object environment = slot.env;  // the call may replace it
        SetObject(env, Call(hosting_->call, py::make_tuple(env, environment, what, hosted)));
      },
      [&](std::uint32_t k, const char* failure) {
        // hosting.call catches exceptions of the method, so this is rare: out of memory, or Ctrl-C.
        SetObject(range.Env(k), py::make_tuple(false, py::str(failure)));
      });
}

std::string PythonGroup::SaveEpisodeOf(std::uint32_t env) const {
  const std::uint8_t status = control_.status(env);
  if ((status & (EnvStatus::kFailed | EnvStatus::kNeverReset)) != 0) {
    throw Error(ErrorKind::kResetNeeded,
                "environment " + std::to_string(env) +
                    ((status & EnvStatus::kFailed) != 0 ? " failed and must be reset first"
                                                        : " has not been reset yet"));
  }
  std::string bytes;
  StateWriter state(bytes);
  SaveEpisode(env, slots_[env].progress, state);
  return bytes;
}

void PythonGroup::Restore(std::uint32_t env, py::object environment, std::string_view episode,
                          py::object observation, py::object info) {
  CheckState(env, episode, "states");
  py::object step = Attribute(environment, "step");
  py::object reset = Attribute(environment, "reset");
  Slot& slot = slots_[env];
  StateReader state(episode);
  LoadEpisode(env, slot.progress, state);
  slot.env = std::move(environment);
  slot.step = std::move(step);
  slot.reset = std::move(reset);
  slot.obs = std::move(observation);
  slot.info = std::move(info);
  slot.final_obs = slot.final_info = py::object();
}

std::pair<py::object, py::object> PythonGroup::ResultsOf(std::uint32_t env) const {
  const Slot& slot = slots_[env];
  const auto or_none = [](const py::object& value) { return value ? value : py::none(); };
  return {or_none(slot.obs), or_none(slot.info)};
}

std::uint32_t PythonGroup::StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                           const std::uint8_t* reset_flags, ActionSlots actions,
                                           const BatchView& /*pending_final_frame*/,
                                           Outcome* outcomes, const StopCondition& stop,
                                           StepCounts& counts) {
  return ForEach(
      0, n, &stop,
      [&](std::uint32_t k) {
        outcomes[k] = Outcome{};
        if (reset_flags[ids[k]] != 0) {
          Restart(ids[k], nullptr, true, outcomes[k], counts);
        } else {
          StepEnv(ids[k], actions, outcomes[k], counts);
        }
      },
      [&](std::uint32_t k, const char* what) {
        control_.Failed(ids[k], what, counts);
        outcomes[k] = Outcome{.failed = true};
      });
}

void PythonGroup::WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                            std::uint32_t first_row, const Outcome* outcomes,
                            const BatchView& /*pending_final_frame*/, const BatchView& out,
                            StepCounts& counts) {
  const auto row_of = [&](std::uint32_t k) { return rows == nullptr ? first_row + k : rows[k]; };
  ForEach(
      0, n, nullptr,
      [&](std::uint32_t k) {
        if (!outcomes[k].failed) return WriteRow(ids[k], row_of(k), outcomes[k], out);
        WriteFailedRow(ids[k], slots_[ids[k]].progress, row_of(k), out);
        SetObject(ids[k], py::none());
      },
      [&](std::uint32_t k, const char* what) { Fail(ids[k], row_of(k), what, out, counts); });
}

py::object PythonGroup::ActionOf(std::uint32_t env, const ActionSlots& actions) const {
  const std::byte* const slot = actions.base + env * actions.bytes;
  if (!hosting_->object_actions) return hosting_->action.MakeAction(slot_layout_, slot);
  const TreeSlotLayout::Object& object = *slot_layout_.ObjectOf(slot);
  const auto* const from =
      reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(origin_) + object.offset);
  return CallOne(hosting_->load, py::bytes(from, object.bytes));
}

void PythonGroup::StepEnv(std::uint32_t env, const ActionSlots& actions, Outcome& outcome,
                          StepCounts& counts) {
  Slot& slot = slots_[env];
  if (slot.progress.reset_due) return Restart(env, nullptr, false, outcome, counts);
  const py::object result = CallOne(slot.step, ActionOf(env, actions));
  const py::handle values =
      CheckTuple(result, 5, "step()", "(observation, reward, terminated, truncated, info)");
  const StepResult step{
      .reward = RewardOf(PyTuple_GET_ITEM(values.ptr(), 1)),
      .terminated = FlagOf(PyTuple_GET_ITEM(values.ptr(), 2), "step(): terminated"),
      .truncated = FlagOf(PyTuple_GET_ITEM(values.ptr(), 3), "step(): truncated")};
  CheckInfo(PyTuple_GET_ITEM(values.ptr(), 4), "step()");
  slot.obs = Borrow(values, 0);
  slot.info = Borrow(values, 4);
  slot.final_obs = slot.final_info = py::object();
  if (control_.Stepped(env, slot.progress, step, step.reward, outcome, counts) ==
      AfterStep::kRestart) {
    // The environment may write its next observation and infos into the same objects.
    py::object final_obs = CopyOf(slot.obs, hosting_->copy);
    py::object final_info = CopyOf(slot.info, hosting_->copy);
    slot.final_elapsed = slot.progress.elapsed_step();
    Restart(env, nullptr, false, outcome, counts);
    slot.final_obs = std::move(final_obs);
    slot.final_info = std::move(final_info);
  }
}

// `by_user`: only a reset that the user requests passes arguments to the environment, as in
// SyncVectorEnv.
void PythonGroup::Restart(std::uint32_t env, const ResetStart* start, bool by_user,
                          Outcome& outcome, StepCounts& counts) {
  Slot& slot = slots_[env];
  outcome.after_reset = true;
  const std::optional<std::uint64_t> seed = std::exchange(pending_seeds_[env], std::nullopt);
  py::object result;
  if (by_user || seed) {
    const py::object given = seed ? py::object(py::int_(*seed)) : py::none();
    py::object options = py::none();
    if (start != nullptr) {
      const auto& given_options = *static_cast<const PythonOptions*>(start);
      given_options.ThrowIfUnreadable();
      options = given_options.options;
    }
    py::dict names;
    names["seed"] = given;
    names["options"] = options;
    result = Call(slot.reset, py::tuple(), names);
  } else {
    result = Call(slot.reset, py::tuple());
  }
  const py::handle values = CheckTuple(result, 2, "reset()", "(observation, info)");
  CheckInfo(PyTuple_GET_ITEM(values.ptr(), 1), "reset()");
  slot.obs = Borrow(values, 0);
  slot.info = Borrow(values, 1);
  slot.final_obs = slot.final_info = py::object();
  control_.Restarted(env, slot.progress, counts);
}

void PythonGroup::WriteRow(std::uint32_t env, std::uint32_t row, const Outcome& outcome,
                           const BatchView& out) {
  Slot& slot = slots_[env];
  RowParts parts{.info = InfoOrNone(slot.info),
                 .leaves = WriteObs(slot.obs, ObsRow(out.frame.obs, row),
                                    outcome.after_reset ? "reset()" : "step()"),
                 .final_info = InfoOrNone(slot.final_info),
                 .final_leaves = py::none()};
  if (outcome.pending_final_frame) {
    parts.final_leaves = WriteObs(slot.final_obs, ObsRow(out.final_frame.obs, row), "step()");
    out.final_frame.elapsed_step[row] = slot.final_elapsed;
  }
  out.frame.elapsed_step[row] = slot.progress.elapsed_step();
  SetRowObject(env, parts);
  control_.WriteOutcome(env, row, outcome, out);
}

// `method`: the call that returned the observation.
py::object PythonGroup::WriteObs(const py::object& obs, const ObsRow& row,
                                 const char* method) const {
  try {
    return hosting_->observation.Write(obs, row, hosting_->store);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(method) + ": " + error.what());
  }
}

void PythonGroup::Fail(std::uint32_t env, std::uint32_t row, const char* what, const BatchView& out,
                       StepCounts& counts) {
  control_.Failed(env, what, counts);
  WriteFailedRow(env, slots_[env].progress, row, out);
  SetObject(env, py::none());
}

bool PythonGroup::RowParts::any() const {
  return !info.is_none() || !leaves.is_none() || !final_info.is_none() || !final_leaves.is_none();
}

void PythonGroup::SetRowObject(std::uint32_t env, const RowParts& parts) {
  if (!parts.any()) return SetObject(env, py::none());
  // The environment may change its objects at the next step, which another thread may start before
  // this one has gathered them. The final ones are copies, which no other row gets.
  SetObject(env,
            py::make_tuple(CopyOf(parts.info, hosting_->copy), CopyOf(parts.leaves, hosting_->copy),
                           parts.final_info, parts.final_leaves));
}

void PythonGroup::SetObject(std::uint32_t env, py::object object) {
  PyObject*& kept = slots_[env].object;
  Release(kept);
  kept = object.is_none() ? nullptr : object.release().ptr();
}

void PythonGroup::TakeObjects(const std::uint32_t* ids, std::uint32_t n,
                              std::vector<RowObject>& objects) {
  for (std::uint32_t k = 0; k < n; ++k) {
    PyObject*& kept = slots_[ids == nullptr ? k : ids[k]].object;
    if (kept == nullptr) continue;
    objects.push_back({.row = k, .value = KeepAlive(py::reinterpret_steal<py::object>(kept))});
    kept = nullptr;
  }
}

}  // namespace engine::bindings
