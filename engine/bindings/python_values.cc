#include "engine/bindings/python_values.h"

#include "engine/base/error.h"
#include "engine/bindings/numpy_api.h"

namespace py = pybind11;

namespace engine::bindings {

std::string TypeName(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

std::string Repr(py::handle value) {
  py::object text = py::reinterpret_steal<py::object>(PyObject_Repr(value.ptr()));
  if (!text) {
    PyErr_Clear();
    return "?";
  }
  const auto repr = py::cast<std::string>(py::str(text));
  constexpr std::size_t kLongest = 80;
  return repr.size() <= kLongest ? repr : repr.substr(0, kLongest) + "...";
}

bool IsBool(py::handle value) {
  return PyBool_Check(value.ptr()) || PyArray_IsScalar(value.ptr(), Bool);
}

bool IsInteger(py::handle value) {
  if (IsBool(value) || !PyIndex_Check(value.ptr())) return false;
  if (!PyArray_Check(value.ptr())) return true;
  auto* const array = AsArray(value);
  return PyArray_NDIM(array) == 0 && PyArray_ISINTEGER(array);
}

bool IsNumber(py::handle value) {
  return IsInteger(value) || PyFloat_Check(value.ptr()) || PyArray_IsScalar(value.ptr(), Floating);
}

std::int64_t ToInt64(py::handle value, const std::string& where) {
  py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    throw Error(ErrorKind::kOption, where + ": expected a 64-bit integer, got " + Repr(value));
  }
  return number;
}

double ToDouble(py::handle value, const std::string& where) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw py::error_already_set();
    PyErr_Clear();
    throw Error(ErrorKind::kOption,
                where + ": expected a number that a 64-bit float can hold, got " + Repr(value));
  }
  return number;
}

std::string TextOf(py::handle value, const std::string& where) {
  const py::object text = py::reinterpret_steal<py::object>(
      PyBytes_Check(value.ptr()) ? PyUnicode_FromEncodedObject(value.ptr(), "utf-8", "strict")
                                 : value.inc_ref().ptr());
  if (text && PyUnicode_AsUTF8(text.ptr()) != nullptr) return py::cast<std::string>(text);
  PyErr_Clear();
  throw Error(ErrorKind::kOption, where + ": expected text with a UTF-8 form, got " + Repr(value));
}

bool IsText(py::handle value) { return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()); }

bool IsList(py::handle value) {
  return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) ||
         (PyArray_Check(value.ptr()) && PyArray_NDIM(AsArray(value)) > 0);
}

py::list ItemsOf(py::handle value) {
  py::list items = py::reinterpret_steal<py::list>(PySequence_List(value.ptr()));
  if (!items) throw py::error_already_set();
  return items;
}

}  // namespace engine::bindings
