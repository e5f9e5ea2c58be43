#include "engine/bindings/python_envs/python_infos.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/word_hash.h"
#include "engine/bindings/gil_mutex.h"
#include "engine/bindings/python_envs/returned_value.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// The header of an entry of a form; the sizes of the dimensions and the key follow it.
struct EntryHead {
  enum Kind : std::uint8_t { kNumber, kObject, kWhole };

  Kind kind = kObject;
  InfoNumber::Kind number = InfoNumber::Kind::kFloat;
  std::uint8_t type = 0;
  std::uint8_t num_dims = 0;
  std::uint32_t key_bytes = 0;
};

void Append(std::string& to, const void* from, std::size_t bytes) {
  if (bytes > 0) to.append(static_cast<const char*>(from), bytes);  // `from` may be null
}

void AppendEntry(std::string& form, const EntryHead& head, const npy_intp* dims, const char* key) {
  Append(form, &head, sizeof head);
  Append(form, dims, head.num_dims * sizeof *dims);
  Append(form, key, head.key_bytes);
}

bool IsColumnType(int type) { return PyTypeNum_ISNUMBER(type) || type == NPY_HALF; }

std::size_t ItemBytes(int type) {
  PyArray_Descr* const descr = PyArray_DescrFromType(type);
  const auto bytes = static_cast<std::size_t>(PyDataType_ELSIZE(descr));
  Py_DECREF(descr);
  return bytes;
}

// Gymnasium combines the info `final_obs` by a different rule than other infos.
bool IsFinalObs(PyObject* key) { return PyUnicode_CompareWithASCIIString(key, "final_obs") == 0; }

}  // namespace

// --- Numbers -------------------------------------------------------------------------------------

void InfoNumber::Use(const void* number, std::size_t size) {
  std::memcpy(own_.data(), number, size);
  data = own_.data();
  bytes = size;
}

bool InfoNumber::Read(py::handle value) {
  PyObject* const object = value.ptr();
  num_dims = 0;
  if (PyFloat_CheckExact(object)) {
    kind = Kind::kFloat;
    type = NPY_DOUBLE;
    const double number = PyFloat_AS_DOUBLE(object);
    Use(&number, sizeof number);
    return true;
  }
  if (PyBool_Check(object)) {
    kind = Kind::kBool;
    type = NPY_BOOL;
    const bool number = object == Py_True;
    Use(&number, sizeof number);
    return true;
  }
  if (PyLong_CheckExact(object)) {
    kind = Kind::kInt;
    type = NPY_INT64;
    int overflow = 0;
    const std::int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
    Use(&number, sizeof number);
    return overflow == 0;
  }
  if (PyArray_CheckExact(object)) {
    auto* array = AsArray(object);
    kind = Kind::kArray;
    type = PyArray_TYPE(array);
    if (!IsColumnType(type) || !PyArray_ISNOTSWAPPED(array)) return false;
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
      array_ = py::reinterpret_steal<py::object>(PyArray_NewCopy(array, NPY_CORDER));
      if (!array_) throw py::error_already_set();
      array = AsArray(array_);
    }
    num_dims = PyArray_NDIM(array);
    dims = PyArray_DIMS(array);
    data = static_cast<const std::byte*>(PyArray_DATA(array));
    bytes = static_cast<std::size_t>(PyArray_NBYTES(array));
    return true;
  }
  if (!PyArray_IsScalar(object, Number)) return false;
  PyArray_Descr* const descr = PyArray_DescrFromScalar(object);
  if (descr == nullptr) throw py::error_already_set();
  kind = Kind::kScalar;
  type = descr->type_num;
  // An instance of a subclass of a number type may have more data than the number.
  const bool is_plain = descr->typeobj == Py_TYPE(object) && IsColumnType(type) &&
                        static_cast<std::size_t>(PyDataType_ELSIZE(descr)) <= own_.size();
  if (is_plain) {
    PyArray_ScalarAsCtype(object, own_.data());
    data = own_.data();
    bytes = static_cast<std::size_t>(PyDataType_ELSIZE(descr));
  }
  Py_DECREF(descr);
  return is_plain;
}

py::object InfoNumber::Make() const {
  alignas(16) std::array<std::byte, 32> aligned;
  if (kind != Kind::kArray) std::memcpy(aligned.data(), data, bytes);
  PyObject* made = nullptr;
  switch (kind) {
    case Kind::kBool:
      return py::bool_(aligned[0] != std::byte{0});
    case Kind::kInt: {
      std::int64_t number = 0;
      std::memcpy(&number, aligned.data(), sizeof number);
      return py::int_(number);
    }
    case Kind::kFloat: {
      double number = 0;
      std::memcpy(&number, aligned.data(), sizeof number);
      return py::float_(number);
    }
    case Kind::kScalar: {
      PyArray_Descr* const descr = PyArray_DescrFromType(type);
      made = PyArray_Scalar(aligned.data(), descr, nullptr);
      Py_DECREF(descr);
      break;
    }
    case Kind::kArray:
      made = PyArray_EMPTY(num_dims, const_cast<npy_intp*>(dims), type, 0);
      if (made != nullptr) {
        std::memcpy(PyArray_DATA(AsArray(made)), data, bytes);
      }
      break;
  }
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

// --- Packing -------------------------------------------------------------------------------------

void PackedInfo::Pack(py::handle info) {
  form.clear();
  numbers.clear();
  objects.clear();
  const auto pack_whole = [&] {
    form.clear();
    numbers.clear();
    AppendEntry(form, {.kind = EntryHead::kWhole}, nullptr, nullptr);
    objects.assign(1, py::reinterpret_borrow<py::object>(info));
  };
  if (!PyDict_CheckExact(info.ptr())) return pack_whole();
  const py::dict own = OwnDict(info);  // a thread of the environment may change its dict
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(own.ptr(), &at, &key, &value) != 0) {
    Py_ssize_t key_bytes = 0;
    const char* const text =
        PyUnicode_CheckExact(key) ? PyUnicode_AsUTF8AndSize(key, &key_bytes) : nullptr;
    if (text == nullptr) {  // another type of key, or text that is not Unicode
      PyErr_Clear();
      return pack_whole();
    }
    EntryHead head{.key_bytes = static_cast<std::uint32_t>(key_bytes)};
    InfoNumber number;
    if (!IsFinalObs(key) && number.Read(value)) {
      head.kind = EntryHead::kNumber;
      head.number = number.kind;
      head.type = static_cast<std::uint8_t>(number.type);
      head.num_dims = static_cast<std::uint8_t>(number.num_dims);
      Append(numbers, number.data, number.bytes);
    } else {
      objects.push_back(py::reinterpret_borrow<py::object>(value));
    }
    AppendEntry(form, head, number.dims, text);
  }
}

std::string_view PackedRow::Pack(const py::object& info, const py::object& leaves,
                                 const py::object& final_info, const py::object& final_leaves,
                                 py::handle dump) {
  const auto pack = [](PackedInfo& packed, const py::object& given) {
    if (given.is_none()) {
      packed = {};
    } else {
      packed.Pack(given);
    }
  };
  pack(info_, info);
  pack(final_, final_info);
  const Head head{.form = info_.form.size(),
                  .numbers = info_.numbers.size(),
                  .final_form = final_.form.size(),
                  .final_numbers = final_.numbers.size()};
  packed_.clear();
  Append(packed_, &head, sizeof head);
  packed_ += info_.form;
  packed_ += info_.numbers;
  packed_ += final_.form;
  packed_ += final_.numbers;
  const std::size_t num_objects = info_.objects.size() + final_.objects.size();
  if (num_objects > 0 || !leaves.is_none() || !final_leaves.is_none()) {
    py::tuple objects(static_cast<std::size_t>(kFirstOfInfos) + num_objects);
    std::size_t at = 0;
    objects[at++] = leaves;
    objects[at++] = final_leaves;
    for (PackedInfo* packed : {&info_, &final_}) {
      for (py::object& object : packed->objects) objects[at++] = std::move(object);
      packed->objects.clear();
    }
    const py::object bytes = dump(objects);
    packed_.append(PyBytes_AS_STRING(bytes.ptr()),
                   static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
  }
  const std::uint64_t check = CheckOf(packed_);
  std::memcpy(packed_.data(), &check, sizeof check);
  return packed_;
}

std::uint64_t PackedRow::CheckOf(std::string_view packed) {
  const std::string_view rest = packed.substr(sizeof(std::uint64_t));
  std::uint64_t hash = rest.size();
  MixBytes(hash, rest.data(), rest.size());
  return hash;
}

PackedRow::Parts PackedRow::Unpack(std::string_view packed) {
  Head head;
  const bool fits = packed.size() >= sizeof head;
  if (fits) std::memcpy(&head, packed.data(), sizeof head);
  if (!fits || head.check != CheckOf(packed)) {
    throw Error(ErrorKind::kWorker,
                "its worker process has damaged the memory it shares with the pool");
  }
  packed.remove_prefix(sizeof head);
  const auto take = [&packed](std::size_t bytes) {
    const std::string_view part = packed.substr(0, bytes);
    packed.remove_prefix(bytes);
    return part;
  };
  const auto data = [](std::string_view part) {
    return reinterpret_cast<const std::byte*>(part.data());
  };
  Parts parts;
  parts.form = take(head.form);
  parts.numbers = data(take(head.numbers));
  parts.final_form = take(head.final_form);
  parts.final_numbers = data(take(head.final_numbers));
  parts.objects = packed;
  return parts;
}

InfoForm::InfoForm(std::string_view form) {
  while (!form.empty()) {
    EntryHead head;
    std::memcpy(&head, form.data(), sizeof head);
    form.remove_prefix(sizeof head);
    Entry entry;
    entry.is_number = head.kind == EntryHead::kNumber;
    entry.dims.resize(head.num_dims);
    const std::size_t dims_bytes = head.num_dims * sizeof(npy_intp);
    if (dims_bytes > 0) std::memcpy(entry.dims.data(), form.data(), dims_bytes);
    form.remove_prefix(dims_bytes);
    if (head.kind != EntryHead::kWhole) {
      PyObject* key =
          PyUnicode_FromStringAndSize(form.data(), static_cast<Py_ssize_t>(head.key_bytes));
      if (key == nullptr) throw py::error_already_set();
      PyUnicode_InternInPlace(&key);  // so that keys of several forms are one object
      entry.key = py::reinterpret_steal<py::object>(key);
      form.remove_prefix(head.key_bytes);
    }
    if (entry.is_number) {
      entry.number.kind = head.number;
      entry.number.type = head.type;
      entry.number.num_dims = head.num_dims;
      entry.number.bytes = ItemBytes(head.type);
      for (const npy_intp length : entry.dims) {
        entry.number.bytes *= static_cast<std::size_t>(length);
      }
    }
    entries.push_back(std::move(entry));
  }
  for (Entry& entry : entries) entry.number.dims = entry.dims.data();
}

// --- Gathering -----------------------------------------------------------------------------------

void InfoGather::Add(std::uint32_t row, py::handle info) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  if (!PyDict_CheckExact(info.ptr())) {
    AddByPython(row, info);
    return;
  }
  InfoNumber number;
  for (std::size_t position = 0; PyDict_Next(info.ptr(), &at, &key, &value) != 0; ++position) {
    if (PyUnicode_CheckExact(key) && !IsFinalObs(key) && number.Read(value)) {
      AddNumber(position, row, key, number);
    } else {
      AddObject(row, key, value);
    }
  }
}

void InfoGather::Add(std::uint32_t row, std::string_view form, const std::byte* numbers,
                     py::handle objects, Py_ssize_t& next_object) {
  const auto next = [&] { return py::handle(PyTuple_GET_ITEM(objects.ptr(), next_object++)); };
  std::size_t position = 0;
  for (const InfoForm::Entry& entry : FormOf(form).entries) {
    if (!entry.key) {
      AddByPython(row, next());
    } else if (entry.is_number) {
      InfoNumber number = entry.number;
      number.data = numbers;
      numbers += number.bytes;
      AddNumber(position, row, entry.key, number);
    } else {
      AddObject(row, entry.key, next());
    }
    ++position;
  }
}

const InfoForm& InfoGather::FormOf(std::string_view form) {
  if (latest_form_ == nullptr || form != latest_) {
    latest_form_ = &forms_.try_emplace(form, form).first->second;
    latest_ = form;
  }
  return *latest_form_;
}

void InfoGather::AddNumber(std::size_t position, std::uint32_t row, py::handle key,
                           const InfoNumber& number) {
  Column* column = Find(position, key.ptr());
  if (column == nullptr) column = Begin(key.ptr(), number);
  // NumPy converts a value of another type or shape, or raises.
  if (column == nullptr || !column->Fits(number)) return AddObject(row, key, number.Make());
  std::memcpy(column->data + row * number.bytes, number.data, number.bytes);
  column->mask[row] = true;
}

void InfoGather::AddObject(std::uint32_t row, py::handle key, py::handle value) {
  py::dict info;
  info[key] = value;
  AddByPython(row, info);
}

void InfoGather::AddByPython(std::uint32_t row, py::handle info) {
  try {
    add_info_(infos_, info, row, rows_);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    misfits_.emplace_back(row, error.value());
  }
}

bool InfoGather::Column::Fits(const InfoNumber& number) const {
  return type == number.type && num_dims == number.num_dims &&
         std::equal(dims, dims + num_dims, number.dims);
}

InfoGather::Column* InfoGather::Find(std::size_t position, PyObject* key) {
  if (position < columns_.size() && columns_[position].key == key) return &columns_[position];
  for (Column& column : columns_) {
    if (column.key == key || PyUnicode_Compare(column.key, key) == 0) return &column;
  }
  return nullptr;
}

InfoGather::Column* InfoGather::Begin(PyObject* key, const InfoNumber& number) {
  const py::object mask_key = py::reinterpret_steal<py::object>(PyUnicode_FromFormat("_%U", key));
  if (!mask_key) throw py::error_already_set();
  if (infos_.contains(py::handle(key)) || infos_.contains(mask_key)) return nullptr;
  std::vector<npy_intp> dims = {static_cast<npy_intp>(rows_)};
  dims.insert(dims.end(), number.dims, number.dims + number.num_dims);
  const auto zeros = [](int num_dims, npy_intp* lengths, int type) {
    py::object array = py::reinterpret_steal<py::object>(PyArray_ZEROS(num_dims, lengths, type, 0));
    if (!array) throw py::error_already_set();
    return array;
  };
  const py::object values = zeros(number.num_dims + 1, dims.data(), number.type);
  const py::object mask = zeros(1, dims.data(), NPY_BOOL);
  if (PyDict_SetItem(infos_.ptr(), key, values.ptr()) != 0 ||
      PyDict_SetItem(infos_.ptr(), mask_key.ptr(), mask.ptr()) != 0) {
    throw py::error_already_set();
  }
  auto* const array = AsArray(values);
  columns_.push_back({.key = key,
                      .type = number.type,
                      .num_dims = number.num_dims,
                      .dims = PyArray_DIMS(array) + 1,
                      .data = static_cast<std::byte*>(PyArray_DATA(array)),
                      .mask = DataOf<bool>(mask)});
  return &columns_.back();
}

}  // namespace engine::bindings
