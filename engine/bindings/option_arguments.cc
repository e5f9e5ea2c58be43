#include "engine/bindings/option_arguments.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/gil_mutex.h"
#include "engine/bindings/python_values.h"
#include "engine/env/table_entries.h"

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

// A list in a list of ... deeper than any array has dimensions; also one that contains itself.
constexpr std::size_t kMaxDimensions = 8;

// Appends the numbers of a number or of nested lists, row by row. Returns the shape, which is empty
// for a number.
Shape AppendNumbers(py::handle value, std::size_t depth, const std::string& where,
                    std::vector<double>& numbers) {
  if (IsBool(value)) {
    numbers.push_back(PyObject_IsTrue(value.ptr()) == 1 ? 1.0 : 0.0);
    return {};
  }
  if (IsNumber(value)) {
    numbers.push_back(ToDouble(value, where));
    return {};
  }
  if (!IsList(value) || depth == kMaxDimensions) {
    throw Error(ErrorKind::kOptionType,
                where + ": expected " +
                    (depth == 0 ? "a number or a list of them, got " + TypeName(value) + " "
                                : std::string("a list of numbers, got an element ")) +
                    Repr(value));
  }
  const py::list items = ItemsOf(value);
  Shape inner;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Shape shape = AppendNumbers(items[i], depth + 1, where, numbers);
    if (i == 0) inner = shape;
    if (shape != inner) {
      throw Error(ErrorKind::kOption, where + ": expected an array, got an element of shape " +
                                          ShapeText(inner) + " and one of shape " +
                                          ShapeText(shape));
    }
  }
  inner.insert(inner.begin(), static_cast<std::int64_t>(items.size()));
  return inner;
}

// Keys may also be integers, such as members of enumerations; they are converted to decimal text.
std::string KeyOf(py::handle key, const std::string& where) {
  const bool is_name = PyUnicode_Check(key.ptr()) && PyUnicode_AsUTF8(key.ptr()) != nullptr;
  if (is_name) return py::cast<std::string>(key);
  PyErr_Clear();
  if (!PyIndex_Check(key.ptr())) {
    throw Error(ErrorKind::kOptionType,
                where + ": expected names or integers as keys, got " + Repr(key));
  }
  return std::to_string(ToInt64(key, where));
}

// The names in the table are those of engine/env/table_entries.h.
NumberTable DictToParam(py::handle value, const std::string& where) {
  NumberTable table;
  const auto add = [&](TableEntry entry, py::handle item) {
    const std::string named =
        where + "[" + entry.name + "]" + (entry.key ? "[" + *entry.key + "]" : "");
    std::vector<double> numbers;
    entry.shape = AppendNumbers(item, 0, named, numbers);
    if (!table.emplace(NameInTable(entry), std::move(numbers)).second) {
      throw Error(ErrorKind::kOption, named + ": given twice");
    }
  };
  for (const auto& [key, item] : OwnDict(value)) {
    const std::string name = KeyOf(key, where);
    if (!PyDict_Check(item.ptr())) {
      add({.name = name, .key = {}, .shape = {}}, item);
      continue;
    }
    for (const auto& [inner, each] : OwnDict(item)) {
      add({.name = name, .key = KeyOf(inner, where + "[" + name + "]"), .shape = {}}, each);
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

// Returns the numbers of an array as nested lists.
py::object FromArray(const double*& next, std::span<const std::int64_t> shape) {
  if (shape.empty()) return py::float_(*next++);
  py::list list;
  for (std::int64_t i = 0; i < shape[0]; ++i) list.append(FromArray(next, shape.subspan(1)));
  return list;
}

py::dict FromTable(const NumberTable& table) {
  py::dict dict;
  for (const auto& [name, numbers] : table) {
    const TableEntry entry = EntryOf(name, numbers.size());
    const double* next = numbers.data();
    const bool is_number = entry.shape == Shape{1};
    py::object value = is_number ? py::float_(*next) : FromArray(next, entry.shape);
    if (!entry.key) {
      dict[py::str(entry.name)] = std::move(value);
      continue;
    }
    const py::str outer(entry.name);
    if (!dict.contains(outer)) dict[outer] = py::dict();
    py::object inner = dict[outer];
    if (py::isinstance<py::dict>(inner)) {
      inner[py::str(*entry.key)] = std::move(value);
    } else {  // the same name without a key
      dict[py::str(name)] = std::move(value);
    }
  }
  return dict;
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
          return FromTable(held);
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
  for (const auto& [key, value] : OwnDict(options)) {
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
