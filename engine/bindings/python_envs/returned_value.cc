#include "engine/bindings/python_envs/returned_value.h"

namespace py = pybind11;

namespace engine::bindings {

Error Unexpected(const std::string& place, const std::string& expected, py::handle value) {
  const py::object text = py::module_::import("envpool_py.python_envs.returned")
                              .attr("unexpected")(place, expected, value);
  return {ErrorKind::kInputType, py::cast<std::string>(text)};
}

void ClearException() {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw py::error_already_set();
  PyErr_Clear();
}

}  // namespace engine::bindings
