#include "engine/bindings/errors.h"

#include <algorithm>
#include <string>

#include "engine/checks/checked_group.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Messages quote option values and exceptions of environments, which may be any bytes. Bytes that
// are not UTF-8 are escaped.
py::object Text(const std::string& bytes) {
  return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

py::object FindClass(const char* name) {
  return py::module_::import("envpool_py.errors").attr(name);
}

}  // namespace

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
  py::set_error(FindClass(NameOf(error.kind())), Text(message));
}

void ThrowFrom(const Error& error, const py::error_already_set& cause) {
  const py::object type = FindClass(NameOf(error.kind()));
  const py::object raised = type(Text(error.what()));
  PyException_SetCause(raised.ptr(), cause.value().inc_ref().ptr());
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw py::error_already_set();
}

void ThrowEnvironmentsFailed(const std::vector<std::pair<std::uint32_t, std::string>>& failed,
                             py::object batch) {
  py::list env_ids;
  py::list causes;
  for (const auto& [env, cause] : failed) {
    env_ids.append(env);
    causes.append(Text(cause));
  }
  const std::string message = FailureMessage(
      failed.front().first, py::cast<std::string>(py::str(causes[0])), failed.size());
  const bool by_check = std::ranges::any_of(
      failed, [](const auto& each) { return each.second.starts_with(kCheckPrefix); });
  py::object type = FindClass(by_check ? "CheckFailedError" : "EnvironmentFailedError");
  py::object error = type(py::str(message), env_ids, causes, std::move(batch));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace engine::bindings
