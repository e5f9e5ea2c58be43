// Saving and loading states of environments, and their attributes: a part of PoolBinding.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/env_attributes.h"
#include "engine/bindings/pool_binding.h"
#include "engine/group/state_bytes.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

std::size_t IndexOf(const std::vector<AttributeSpec>& specs, const std::string& name) {
  const auto found = std::ranges::find(specs, name, &AttributeSpec::name);
  if (found == specs.end())
    throw Error(ErrorKind::kInput, name + ": the environments have no such attribute");
  return static_cast<std::size_t>(found - specs.begin());
}

}  // namespace

py::list PoolBinding::Attributes() const { return DescribeAttributes(tasks_.attributes()); }

py::tuple PoolBinding::GetAttribute(const std::string& name, py::object env_id) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  const std::size_t index = IndexOf(tasks_.attributes(), name);
  std::vector<std::vector<double>> values;
  RunInterruptible([&](Host& host) { return pool.GetAttribute(index, ViewOf(ids), host, values); });
  py::tuple shown(values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    shown[k] = ShowAttribute(tasks_.attributes()[index], values[k]);
  return shown;
}

void PoolBinding::SetAttribute(const std::string& name, const py::list& values, py::object env_id) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  const std::size_t index = IndexOf(tasks_.attributes(), name);
  const AttributeSpec& spec = tasks_.attributes()[index];
  std::vector<std::vector<double>> numbers;
  for (const auto& value : values) {
    numbers.push_back(ReadAttribute(
        spec, value, "set_attr: " + name + ", value " + std::to_string(numbers.size())));
  }
  tasks_.NoteAttributes();
  RunInterruptible(
      [&](Host& host) { return pool.SetAttribute(index, ViewOf(ids), numbers, host); });
}

py::list PoolBinding::SaveStates(py::object env_id) {
  Pool& pool = Usable();
  const std::optional<ArrayArgument> ids = ReadIds(env_id);
  std::vector<std::string> states;
  std::vector<SettingOfEnv> settings;
  RunInterruptible(
      [&](Host& host) { return pool.SaveStates(ViewOf(ids), host, states, settings); });
  py::list result;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto& [env, setting] = settings[k];
    const std::string state = WrapState(tasks_.KeyOf(env, setting), states[k]);
    // py::bytes would throw an error of another class if there is no memory.
    const auto bytes = py::reinterpret_steal<py::object>(
        PyBytes_FromStringAndSize(state.data(), static_cast<Py_ssize_t>(state.size())));
    if (!bytes) throw py::error_already_set();
    result.append(bytes);
  }
  return result;
}

py::object PoolBinding::LoadStates(py::object states, py::object env_id) {
  Pool& pool = Usable();
  // A copy: the states are for the tasks of the environments that were read first.
  const std::optional<ArrayArgument> ids = ReadIds(env_id, "env_id", ArrayArgument::Keep::kCopy);
  if (!py::isinstance<py::sequence>(states) || PyBytes_Check(states.ptr()) ||
      PyUnicode_Check(states.ptr())) {
    throw Error(ErrorKind::kInputType, "states: expected a list of bytes, got " +
                                           std::string(Py_TYPE(states.ptr())->tp_name));
  }
  // Copied, because the work of an interrupted call continues after the caller's objects are freed.
  std::vector<std::string> bodies;
  std::vector<SettingOfEnv> settings;
  if (pool.saves_states()) {
    PythonHost host;
    settings = pool.Settings(ViewOf(ids), true, host);
  }
  for (const auto& state : py::reinterpret_borrow<py::sequence>(states)) {
    const std::string where = "states[" + std::to_string(bodies.size()) + "]";
    if (!PyBytes_Check(state.ptr())) {
      throw Error(ErrorKind::kInputType,
                  where + ": expected bytes, got " + std::string(Py_TYPE(state.ptr())->tp_name));
    }
    const std::string_view bytes(PyBytes_AS_STRING(state.ptr()),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(state.ptr())));
    if (bodies.size() < settings.size()) {
      const auto& [env, setting] = settings[bodies.size()];
      bodies.emplace_back(UnwrapState(tasks_.KeyOf(env, setting), bytes, where));
    } else {
      bodies.emplace_back();  // the pool rejects the call
    }
  }
  if (!tasks_.attributes().empty()) tasks_.NoteAttributes();  // of the states
  Batch batch;
  RunInterruptible(
      [&](Host& host) { return pool.LoadStates(ViewOf(ids), std::move(bodies), host, batch); });
  return ResultOf(batch, true);
}

}  // namespace engine::bindings
