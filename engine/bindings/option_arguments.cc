#include "engine/bindings/option_arguments.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/python_values.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// A text may also be bytes, or a list of characters, such as a row of a NumPy array.
ParamValue ListToTexts(py::handle value, const std::string& where) {
  std::vector<std::string> texts;
  for (const py::handle item : ItemsOf(value)) {
    texts.emplace_back();
    const py::list pieces = IsList(item) ? ItemsOf(item) : py::list(py::make_tuple(item));
    for (const py::handle piece : pieces) {
      if (!IsText(piece)) {
        throw Error(ErrorKind::kOptionType, where + ": expected a list of str, got an element " +
                                                TypeName(piece) + " " + Repr(piece));
      }
      texts.back() += TextOf(piece, where);
    }
  }
  return texts;
}

ParamValue ListToParam(py::handle value, const std::string& where) {
  const py::list items = ItemsOf(value);
  bool all_integers = true;
  for (const py::handle item : items) {
    if (!IsNumber(item)) {
      throw Error(ErrorKind::kOptionType,
                  where + ": expected a list of numbers, got an element " + Repr(item));
    }
    all_integers = all_integers && IsInteger(item);
  }
  if (all_integers && !items.empty()) {
    std::vector<std::int64_t> numbers;
    for (const py::handle item : items) numbers.push_back(ToInt64(item, where));
    return numbers;
  }
  std::vector<double> numbers;
  for (const py::handle item : items) numbers.push_back(ToDouble(item, where));
  return numbers;
}

// Keys may also be integers, such as members of enumerations; they are converted to decimal text.
NumberTable DictToParam(py::handle value, const std::string& where) {
  NumberTable table;
  for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
    const bool is_name = PyUnicode_Check(key.ptr()) && PyUnicode_AsUTF8(key.ptr()) != nullptr;
    if (!is_name) {
      PyErr_Clear();
      if (!PyIndex_Check(key.ptr())) {
        throw Error(ErrorKind::kOptionType,
                    where + ": expected names or integers as keys, got " + Repr(key));
      }
    }
    const std::string name =
        is_name ? py::cast<std::string>(key) : std::to_string(ToInt64(key, where));
    const std::string element = where + "[" + name + "]";
    if (IsBool(item)) {
      table[name] = {PyObject_IsTrue(item.ptr()) == 1 ? 1.0 : 0.0};
    } else if (IsNumber(item)) {
      table[name] = {ToDouble(item, element)};
    } else if (IsList(item)) {
      const ParamValue numbers = ListToParam(item, element);
      const auto* const integers = std::get_if<std::vector<std::int64_t>>(&numbers);
      table[name] = integers == nullptr ? std::get<std::vector<double>>(numbers)
                                        : std::vector<double>(integers->begin(), integers->end());
    } else {
      throw Error(ErrorKind::kOptionType, element + ": expected a number or a list of them, got " +
                                              TypeName(item) + " " + Repr(item));
    }
  }
  return table;
}

ParamValue ToParam(py::handle value, const ParamSpec& spec, const std::string& where) {
  if (IsBool(value)) return PyObject_IsTrue(value.ptr()) == 1;
  if (IsInteger(value)) {
    // An integer beyond 64 bits is still a valid float.
    if (std::holds_alternative<double>(spec.default_value)) return ToDouble(value, where);
    return ToInt64(value, where);
  }
  if (IsNumber(value)) return ToDouble(value, where);
  if (PyUnicode_Check(value.ptr())) return TextOf(value, where);
  if (value.is_none() && spec.none != NonePolicy::kRefused) return std::monostate();
  if (PyDict_Check(value.ptr())) return DictToParam(value, where);
  if (IsList(value)) {
    return std::holds_alternative<std::vector<std::string>>(spec.default_value)
               ? ListToTexts(value, where)
               : ListToParam(value, where);
  }
  throw Error(ErrorKind::kOptionType, where + ": expected " + ExpectedTypeOf(spec) + ", got " +
                                          TypeName(value) + " " + Repr(value));
}

py::list FromElements(const auto& elements) {
  py::list list;
  for (const auto& element : elements) list.append(element);
  return list;
}

py::object FromParam(const ParamValue& value) {
  return std::visit(
      [](const auto& held) -> py::object {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return py::none();
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                             std::is_same_v<T, std::vector<double>> ||
                             std::is_same_v<T, std::vector<std::string>>) {
          return FromElements(held);
        } else if constexpr (std::is_same_v<T, NumberTable>) {
          py::dict dict;
          for (const auto& [name, numbers] : held) {
            dict[py::str(name)] =
                numbers.size() == 1 ? py::object(py::float_(numbers[0])) : FromElements(numbers);
          }
          return dict;
        } else {
          return py::cast(held);
        }
      },
      value);
}

}  // namespace

py::object OptionalFloat(const std::optional<double>& value) {
  if (!value) return py::none();
  return py::float_(*value);
}

py::list DescribeSchema(const ParamSchema& schema) {
  py::list described;
  for (const ParamSpec& spec : schema) {
    if (spec.fixed) continue;
    py::dict one;
    one["name"] = spec.name;
    one["type"] = TypeOf(spec);
    one["default"] = FromParam(spec.Default());
    one["doc"] = spec.doc;
    one["low"] = OptionalFloat(spec.low);
    one["high"] = OptionalFloat(spec.high);
    py::list choices;
    for (const std::string& choice : spec.choices) choices.append(choice);
    one["choices"] = choices;
    described.append(one);
  }
  return described;
}

namespace {

std::vector<std::pair<std::string, ParamValue>> ReadGiven(const ParamSchema& schema,
                                                          const py::dict& options,
                                                          const std::string& what,
                                                          const std::string& task_id) {
  std::vector<std::pair<std::string, ParamValue>> given;
  for (const auto& [key, value] : options) {
    if (!PyUnicode_Check(key.ptr())) {
      throw Error(ErrorKind::kOptionType, task_id + " " + what + ": expected a name (str), got " +
                                              TypeName(key) + " " + Repr(key));
    }
    const std::string name = TextOf(key, task_id + " " + what + "'s name");
    const ParamSpec* spec = nullptr;
    for (const ParamSpec& candidate : schema) {
      if (candidate.name == name) spec = &candidate;
    }
    // An unknown name is an error before its value is checked.
    given.emplace_back(
        name, spec == nullptr ? ParamValue(false)
                              : ToParam(value, *spec, task_id + " " + what + " \"" + name + "\""));
  }
  return given;
}

}  // namespace

ParamValues ReadOptions(const ParamSchema& schema, const py::dict& options, const std::string& what,
                        const std::string& task_id) {
  return {schema, ReadGiven(schema, options, what, task_id), what, task_id};
}

ParamValues ReadOptionsOver(const ParamValues& base, const ParamSchema& schema,
                            const py::dict& options, const std::string& what,
                            const std::string& task_id) {
  return base.With(schema, ReadGiven(schema, options, what, task_id), what, task_id);
}

py::dict ShowOptions(const ParamSchema& schema, const ParamValues& values) {
  py::dict shown;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (!schema[i].fixed) shown[py::str(schema[i].name)] = FromParam(values.all()[i].second);
  }
  return shown;
}

}  // namespace engine::bindings
