#include "engine/bindings/env_attributes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/python_values.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

const char* NameOf(AttributeType type) {
  switch (type) {
    case AttributeType::kFloat:
      return "float";
    case AttributeType::kInt:
      return "int";
    case AttributeType::kBool:
      return "bool";
    case AttributeType::kText:
      return "str";
  }
  return "";
}

py::object ShowNumber(const AttributeSpec& spec, double number) {
  switch (spec.type) {
    case AttributeType::kFloat:
      return py::float_(number);
    case AttributeType::kInt:
      return py::int_(static_cast<std::int64_t>(number));
    case AttributeType::kBool:
      return py::bool_(number != 0.0);
    case AttributeType::kText:
      return py::str(spec.choices[static_cast<std::size_t>(number)]);
  }
  return py::none();
}

// What the attribute accepts, for messages.
std::string Expected(const AttributeSpec& spec) {
  if (spec.type == AttributeType::kBool) return "a bool";
  if (spec.type == AttributeType::kText) {
    std::string text = "one of ";
    for (std::size_t i = 0; i < spec.choices.size(); ++i)
      text += (i > 0 ? ", '" : "'") + spec.choices[i] + "'";
    return text;
  }
  std::string text = spec.type == AttributeType::kInt ? "an integer" : "a number";
  if (spec.elements > 0) text = std::to_string(spec.elements) + " numbers";
  const auto show = [&](double bound) { return Repr(ShowNumber(spec, bound)); };
  if (std::isfinite(spec.low) && std::isfinite(spec.high)) {
    text += (spec.elements > 0 ? ", each in [" : " in [") + show(spec.low) + ", " +
            show(spec.high) + "]";
  } else if (std::isfinite(spec.low)) {
    text += " of at least " + show(spec.low);
  } else if (std::isfinite(spec.high)) {
    text += " of at most " + show(spec.high);
  } else {
    text += spec.elements > 0 ? ", none of them NaN" : " other than NaN";
  }
  return text;
}

[[noreturn]] void Refuse(ErrorKind kind, const AttributeSpec& spec, py::handle value,
                         const std::string& where) {
  throw Error(kind, where + ": expected " + Expected(spec) + ", got " + TypeName(value) + " " +
                        Repr(value));
}

}  // namespace

py::list DescribeAttributes(const std::vector<AttributeSpec>& attributes) {
  py::list described;
  for (const AttributeSpec& spec : attributes) {
    py::dict one;
    one["name"] = spec.name;
    one["type"] = NameOf(spec.type);
    one["elements"] = spec.elements;
    one["low"] = spec.low;
    one["high"] = spec.high;
    one["choices"] = py::cast(spec.choices);
    one["value"] = ShowAttribute(spec, spec.value);
    described.append(one);
  }
  return described;
}

std::vector<double> ReadAttribute(const AttributeSpec& spec, py::handle value,
                                  const std::string& where) {
  py::object given = py::reinterpret_borrow<py::object>(value);
  if (PyArray_Check(given.ptr()) &&
      PyArray_NDIM(reinterpret_cast<PyArrayObject*>(given.ptr())) == 0)
    given = given.attr("item")();
  std::vector<double> numbers;
  if (spec.type == AttributeType::kText) {
    if (!IsText(given)) Refuse(ErrorKind::kInputType, spec, value, where);
    const auto found = std::ranges::find(spec.choices, TextOf(given, where));
    numbers.push_back(static_cast<double>(found - spec.choices.begin()));
  } else {
    if (spec.elements > 0 && !IsList(given)) Refuse(ErrorKind::kInputType, spec, value, where);
    py::list items;
    if (spec.elements > 0) {
      items = ItemsOf(given);
    } else {
      items.append(given);
    }
    for (const py::handle item : items) {
      const bool fits = spec.type == AttributeType::kBool  ? IsBool(item)
                        : spec.type == AttributeType::kInt ? IsInteger(item)
                                                           : IsNumber(item);
      if (!fits) Refuse(ErrorKind::kInputType, spec, value, where);
      const double number = spec.type == AttributeType::kBool
                                ? static_cast<double>(PyObject_IsTrue(item.ptr()))
                                : PyFloat_AsDouble(item.ptr());
      if (PyErr_Occurred() != nullptr) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw py::error_already_set();
        PyErr_Clear();
        Refuse(ErrorKind::kInput, spec, value, where);
      }
      numbers.push_back(number);
    }
  }
  if (!Accepts(spec, numbers)) Refuse(ErrorKind::kInput, spec, value, where);
  return numbers;
}

py::object ShowAttribute(const AttributeSpec& spec, const std::vector<double>& value) {
  if (spec.elements == 0) return ShowNumber(spec, value[0]);
  py::tuple tuple(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) tuple[i] = ShowNumber(spec, value[i]);
  return tuple;
}

}  // namespace engine::bindings
