#include "engine/bindings/errors.h"

#include <algorithm>
#include <string>

#include "engine/checks/checked_group.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

py::object FindClass(const char* name) {
  return py::module_::import("envpool_py.errors").attr(name);
}

// Raises EnvironmentFailedError, or a subclass.
[[noreturn]] void Throw(const char* name, const std::string& message, const NamedEnvironments& envs,
                        py::object batch) {
  py::list env_ids;
  py::list causes;
  for (const auto& [env, cause] : envs) {
    env_ids.append(env);
    causes.append(EscapedText(cause));
  }
  const py::object type = FindClass(name);
  const py::object error = type(EscapedText(message), env_ids, causes, std::move(batch));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace

py::object EscapedText(const std::string& bytes) {
  return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

void RegisterErrorTranslator() {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      SetError(error);
    }
  });
}

void SetError(const Error& error) {
  std::string message = error.what();
  if (error.hint() == ErrorHint::kEnvPoolProgram) {
    const py::object advice = py::module_::import("envpool_py.compat.hints").attr("ADVICE");
    message += " (" + py::cast<std::string>(advice) + ")";
  }
  py::set_error(FindClass(NameOf(error.kind())), EscapedText(message));
}

void ThrowFrom(const Error& error, const py::error_already_set& cause) {
  const py::object type = FindClass(NameOf(error.kind()));
  const py::object raised = type(EscapedText(error.what()));
  PyException_SetCause(raised.ptr(), cause.value().inc_ref().ptr());
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw py::error_already_set();
}

void ThrowEnvironmentsFailed(const NamedEnvironments& failed, py::object batch) {
  const bool by_check = std::ranges::any_of(
      failed, [](const auto& each) { return each.second.starts_with(kCheckPrefix); });
  const auto& [env, cause] = failed.front();
  Throw(by_check ? "CheckFailedError" : "EnvironmentFailedError",
        FailureMessage(env, cause, failed.size()), failed, std::move(batch));
}

void ThrowInfosLeftOut(const NamedEnvironments& envs, py::object batch) {
  const auto& [env, cause] = envs.front();
  std::string message = "environment " + std::to_string(env) + ": " + cause;
  if (envs.size() > 1) message += " (and " + std::to_string(envs.size() - 1) + " more)";
  message += "; it is left out of the infos, and needs no reset";
  Throw("EnvironmentFailedError", message, envs, std::move(batch));
}

}  // namespace engine::bindings
