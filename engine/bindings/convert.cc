#include "engine/bindings/convert.h"

#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/errors.h"

namespace py = pybind11;

namespace engine::bindings {
std::string TypeName(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

namespace {

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

// An array is accepted as a number only if it has a single element.
bool IsInteger(py::handle value) {
  if (IsBool(value) || !PyIndex_Check(value.ptr())) return false;
  if (!PyArray_Check(value.ptr())) return true;
  auto* const array = reinterpret_cast<PyArrayObject*>(value.ptr());
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

// A str may contain surrogates, which UTF-8 cannot encode; bytes may be invalid UTF-8.
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
         (PyArray_Check(value.ptr()) &&
          PyArray_NDIM(reinterpret_cast<PyArrayObject*>(value.ptr())) > 0);
}

py::list ItemsOf(py::handle value) {
  py::list items = py::reinterpret_steal<py::list>(PySequence_List(value.ptr()));
  if (!items) throw py::error_already_set();
  return items;
}

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
  if (value.is_none() && spec.none != NoneIs::kRefused) return std::monostate();
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

std::uint64_t ToSeed(py::handle value, const std::string& where) {
  if (!IsInteger(value)) {
    throw Error(ErrorKind::kInputType,
                where + ": expected an integer, got " + TypeName(value) + " " + Repr(value));
  }
  py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  const unsigned long long seed = PyLong_AsUnsignedLongLong(index.ptr());
  if (seed == std::numeric_limits<unsigned long long>::max() && PyErr_Occurred()) {
    PyErr_Clear();
    throw Error(ErrorKind::kInput,
                where + ": expected an integer in [0, 18446744073709551615], got " + Repr(value));
  }
  return seed;
}

py::object BoundArray(const SpaceSpec& space, const std::vector<std::byte>& bound) {
  py::object array = NewArray(space.dtype, space.shape);
  auto* const data =
      static_cast<std::byte*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
  const std::size_t size = SizeOf(space.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(NumElements(space.shape)); ++i) {
    std::memcpy(data + i * size, bound.data() + (bound.size() == size ? 0 : i * size), size);
  }
  return array;
}

py::tuple ShapeTuple(const Shape& shape) {
  py::tuple tuple(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) tuple[i] = shape[i];
  return tuple;
}

py::dict DescribeSpace(const SpaceSpec& space) {
  py::dict described;
  if (space.is_leaf()) {
    described["dtype"] = NameOf(space.dtype);
    described["shape"] = ShapeTuple(space.shape);
  }
  switch (space.kind) {
    case SpaceKind::kBox:
      described["kind"] = "box";
      described["low"] = BoundArray(space, space.low);
      described["high"] = BoundArray(space, space.high);
      break;
    case SpaceKind::kDiscrete:
      described["kind"] = "discrete";
      described["n"] = space.n;
      described["start"] = space.start;
      break;
    case SpaceKind::kMultiDiscrete: {
      described["kind"] = "multi_discrete";
      py::object nvec = NewArray(DType::kInt64, space.shape);
      std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(nvec.ptr())), space.nvec.data(),
                  space.nvec.size() * sizeof(std::int64_t));
      described["nvec"] = nvec;
      break;
    }
    case SpaceKind::kMultiBinary:
      described["kind"] = "multi_binary";
      break;
    case SpaceKind::kDict: {
      described["kind"] = "dict";
      py::list children;
      for (const auto& [name, child] : space.children) {
        children.append(py::make_tuple(name, DescribeSpace(child)));
      }
      described["children"] = children;
      break;
    }
    case SpaceKind::kTuple: {
      described["kind"] = "tuple";
      py::list children;
      for (const auto& child : space.children) children.append(DescribeSpace(child.second));
      described["children"] = children;
      break;
    }
  }
  return described;
}

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

}  // namespace

py::object NewArray(DType dtype, const Shape& shape) {
  std::vector<npy_intp> dims(shape.begin(), shape.end());
  py::object array = py::reinterpret_steal<py::object>(
      PyArray_SimpleNew(static_cast<int>(dims.size()), dims.data(), NumpyTypeOf(dtype)));
  if (!array) throw py::error_already_set();
  return array;
}

namespace {

// For an exception of `value.__array__` or of NumPy.
[[noreturn]] void ThrowNoArray(py::handle value, const char* name) {
  py::error_already_set cause;
  if (!cause.matches(PyExc_Exception) || cause.matches(PyExc_MemoryError)) throw cause;
  const std::string message =
      std::string(name) + ": expected an array, got " + TypeName(value) + " " + Repr(value);
  ThrowFrom(Error(ErrorKind::kInputType, message), cause);
}

}  // namespace

std::optional<DType> DTypeOfArray(PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  const npy_intp size = PyArray_ITEMSIZE(array);
  const auto sized = [size](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
    switch (size) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        return std::nullopt;
    }
  };
  if (type == NPY_BOOL) return DType::kBool;
  if (PyTypeNum_ISSIGNED(type) && PyTypeNum_ISINTEGER(type)) {
    return sized(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
  }
  if (PyTypeNum_ISUNSIGNED(type)) {
    return sized(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
  }
  if (type == NPY_FLOAT32) return DType::kFloat32;
  if (type == NPY_FLOAT64) return DType::kFloat64;
  return std::nullopt;
}

ArrayArgument::ArrayArgument(py::handle value, const char* name, std::int64_t most) {
  constexpr int kNeeded = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_NOTSWAPPED;
  if (PyArray_Check(value.ptr())) {
    auto* const given = reinterpret_cast<PyArrayObject*>(value.ptr());
    const bool is_half = PyArray_TYPE(given) == NPY_HALF;
    if (PyArray_SIZE(given) > most) {
      View(given, name, is_half ? DType::kFloat32 : DTypeOfArray(given));
      view_.data = nullptr;
      array_ = py::reinterpret_borrow<py::object>(value);
      return;
    }
    if (!is_half && PyArray_CHKFLAGS(given, NPY_ARRAY_C_CONTIGUOUS) && PyArray_ISNOTSWAPPED(given))
      array_ = py::reinterpret_borrow<py::object>(value);
  }
  if (!array_) {
    array_ = py::reinterpret_steal<py::object>(
        PyArray_CheckFromAny(value.ptr(), nullptr, 0, 0, kNeeded, nullptr));
    if (!array_) ThrowNoArray(value, name);
    if (PyArray_TYPE(reinterpret_cast<PyArrayObject*>(array_.ptr())) == NPY_HALF) {
      array_ = py::reinterpret_steal<py::object>(PyArray_FromAny(
          array_.ptr(), PyArray_DescrFromType(NPY_FLOAT32), 0, 0, kNeeded, nullptr));
      if (!array_) throw py::error_already_set();
    }
  }
  auto* const array = reinterpret_cast<PyArrayObject*>(array_.ptr());
  View(array, name, DTypeOfArray(array));
}

void ArrayArgument::View(PyArrayObject* array, const char* name, std::optional<DType> dtype) {
  if (!dtype) {
    throw Error(ErrorKind::kInputType,
                std::string(name) + ": expected an array of numbers, got dtype " +
                    py::cast<std::string>(
                        py::str(py::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(array))))));
  }
  static_assert(sizeof(npy_intp) == sizeof(std::int64_t));
  view_ = {.data = static_cast<const std::byte*>(PyArray_DATA(array)),
           .dtype = *dtype,
           .shape = reinterpret_cast<const std::int64_t*>(PyArray_DIMS(array)),
           .num_dims = static_cast<std::size_t>(PyArray_NDIM(array)),
           .name = name};
}

ParamValues ReadOptions(const ParamSchema& schema, const py::dict& options, const std::string& what,
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
  return ParamValues(schema, given, what, task_id);
}

void ReadSeeds(py::handle seed, std::int64_t n, std::uint32_t num_envs, ResetRequest& request) {
  if (seed.is_none()) return;
  if (IsBool(seed) || PyUnicode_Check(seed.ptr()) || PyBytes_Check(seed.ptr()) ||
      !(PyIndex_Check(seed.ptr()) || PySequence_Check(seed.ptr()))) {
    throw Error(ErrorKind::kInputType, "seed: expected None, an integer or a list of them, got " +
                                           TypeName(seed) + " " + Repr(seed));
  }
  const bool is_array =
      PyArray_Check(seed.ptr()) && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(seed.ptr())) > 0;
  if (PyIndex_Check(seed.ptr()) && !is_array) {
    request.first_seed = ToSeed(seed, "seed");
    if (request.first_seed > std::numeric_limits<std::uint64_t>::max() - (num_envs - 1)) {
      throw Error(ErrorKind::kInput,
                  "seed: expected seed + num_envs - 1 <= 18446744073709551615, "
                  "got seed " +
                      Repr(seed));
    }
    request.seed_by_env = true;
    return;
  }
  const py::list items = ItemsOf(seed);
  if (static_cast<std::int64_t>(items.size()) != n) {
    throw Error(ErrorKind::kInput, "seed: expected a list of " + std::to_string(n) +
                                       " (one per environment to be reset), got " +
                                       std::to_string(items.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const py::handle item = items[i];
    request.has_seed.push_back(item.is_none() ? 0 : 1);
    request.seeds.push_back(item.is_none() ? 0 : ToSeed(item, "seed[" + std::to_string(i) + "]"));
  }
}

void ReadMask(py::handle mask, std::uint32_t num_envs, ResetRequest& request) {
  if (mask.is_none()) return;
  const std::string where = "options[\"reset_mask\"]: ";
  if (!PyArray_Check(mask.ptr())) {
    throw Error(ErrorKind::kInputType, where + "expected a NumPy array, got " + TypeName(mask));
  }
  const ArrayArgument argument(mask, "options[\"reset_mask\"]", num_envs);
  const ArrayView& view = argument.view();
  if (view.dtype != DType::kBool) {
    throw Error(ErrorKind::kInputType, where + "expected dtype bool, got " + NameOf(view.dtype));
  }
  if (view.num_dims != 1 || view.shape[0] != static_cast<std::int64_t>(num_envs)) {
    throw Error(ErrorKind::kInput, where + "expected shape (" + std::to_string(num_envs) +
                                       ",), got " + ShapeToString(view.shape, view.num_dims));
  }
  bool any = false;
  for (std::uint32_t env = 0; env < num_envs; ++env) {
    const bool resets = view.data[env] != std::byte{0};
    request.mask.push_back(resets ? 1 : 0);
    any = any || resets;
  }
  if (!any) throw Error(ErrorKind::kInput, where + "expected at least one True, got none");
}

py::dict DescribeTask(const TaskEntry& entry, const EnvSpec& spec) {
  py::dict described;
  described["id"] = entry.id;
  described["max_episode_steps"] = entry.max_episode_steps > 0
                                       ? py::object(py::int_(entry.max_episode_steps))
                                       : py::object(py::none());
  described["reward_threshold"] = OptionalFloat(entry.reward_threshold);
  described["frame_skip"] = spec.frame_skip;
  described["num_players"] = spec.num_players;
  described["observation"] = DescribeSpace(spec.observation);
  described["action"] = DescribeSpace(spec.action);
  described["action_out_of_bounds"] =
      spec.action_out_of_bounds == OutOfBounds::kReject ? "reject" : "clip";
  py::list infos;
  for (const InfoSpec& info : spec.infos) {
    if (info.widens_previous) continue;
    py::dict one;
    one["name"] = info.name;
    one["dtype"] = NameOf(info.dtype);
    one["shape"] = ShapeTuple(info.shape);
    infos.append(one);
  }
  described["infos"] = infos;
  described["render"] = py::none();
  if (spec.render) {
    py::dict render;
    render["height"] = spec.render->height;
    render["width"] = spec.render->width;
    render["fps"] = spec.render->fps;
    described["render"] = render;
  }
  described["scene_size"] = spec.scene_size;
  described["options"] = DescribeSchema(entry.options);
  described["reset_options"] = DescribeSchema(entry.reset_options);
  return described;
}

}  // namespace engine::bindings
