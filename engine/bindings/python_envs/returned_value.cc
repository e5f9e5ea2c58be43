#include "engine/bindings/python_envs/returned_value.h"

#include "engine/bindings/gil.h"
#include "engine/bindings/numpy_api.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// A dict or list may contain itself, so PythonHosting::copy copies what is nested deeper.
constexpr int kDeepestLevel = 10;

// Whether an object never changes.
bool IsConstant(py::handle value) {
  PyObject* const object = value.ptr();
  if (PyTuple_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      if (!IsConstant(PyTuple_GET_ITEM(object, i))) return false;
    }
    return true;
  }
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         PyUnicode_CheckExact(object) || object == Py_None || PyBytes_CheckExact(object) ||
         (PyArray_IsScalar(object, Generic) && !PyArray_IsScalar(object, Void));
}

py::object CopyOfPart(const py::object& value, py::handle copy, int level) {
  if (IsConstant(value)) return value;
  const auto part = [&](PyObject* borrowed) {
    return CopyOfPart(py::reinterpret_borrow<py::object>(borrowed), copy, level + 1);
  };
  PyObject* made = nullptr;
  if (PyArray_CheckExact(value.ptr()) && !PyArray_ISOBJECT(AsArray(value))) {
    made = PyArray_NewCopy(AsArray(value), NPY_KEEPORDER);
  } else if (level < kDeepestLevel && PyDict_CheckExact(value.ptr())) {
    made = PyDict_Copy(value.ptr());
  } else if (level < kDeepestLevel && PyList_CheckExact(value.ptr())) {
    made = PyList_GetSlice(value.ptr(), 0, PyList_GET_SIZE(value.ptr()));
  } else {
    return Call(copy, py::make_tuple(value));
  }
  if (made == nullptr) throw py::error_already_set();
  py::object copied = py::reinterpret_steal<py::object>(made);
  if (PyDict_Check(made)) {
    PyObject* key = nullptr;
    PyObject* element = nullptr;
    // Only values of present keys change.
    for (Py_ssize_t at = 0; PyDict_Next(made, &at, &key, &element) != 0;) {
      if (IsConstant(element)) continue;
      if (PyDict_SetItem(made, key, part(element).ptr()) != 0) throw py::error_already_set();
    }
  } else if (PyList_Check(made)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(made); ++i) {
      PyList_SetItem(made, i, part(PyList_GET_ITEM(made, i)).release().ptr());
    }
  }
  return copied;
}

}  // namespace

py::object CopyOf(const py::object& value, py::handle copy) { return CopyOfPart(value, copy, 0); }

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
