#include "engine/bindings/python_envs/python_spaces.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/bindings/array_argument.h"
#include "engine/bindings/gil.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/python_envs/returned_value.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

// Actions may have any numeric dtype. This is the size of the largest one in common use.
constexpr std::size_t kMaxItemBytes = 8;

std::vector<npy_intp> Dims(const Shape& shape, std::int64_t rows) {
  std::vector<npy_intp> dims;
  if (rows >= 0) dims.push_back(rows);
  dims.insert(dims.end(), shape.begin(), shape.end());
  return dims;
}

// A new array that does not own `memory`; of its own memory if that is null. Steals the reference
// to the dtype.
py::object NewArrayOf(PyArray_Descr* descr, const std::vector<npy_intp>& dims, std::byte* memory) {
  py::object array = py::reinterpret_steal<py::object>(
      PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(dims.size()), dims.data(),
                           nullptr, memory, memory == nullptr ? 0 : NPY_ARRAY_CARRAY, nullptr));
  if (!array) throw py::error_already_set();
  return array;
}

py::object Item(py::handle container, py::handle key) {
  py::object item = py::reinterpret_steal<py::object>(
      CallPython([&] { return PyObject_GetItem(container.ptr(), key.ptr()); }));
  if (!item) throw py::error_already_set();
  return item;
}

// The part of an observation for child `child` of a node.
py::object PartOf(const SpaceNode& node, py::handle value, std::size_t child) {
  const auto index = static_cast<Py_ssize_t>(child);
  if (node.kind == SpaceNode::Kind::kTuple && PyTuple_CheckExact(value.ptr()) &&
      index < PyTuple_GET_SIZE(value.ptr())) {
    return py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(value.ptr(), index));
  }
  return node.PartOf(value, child);
}

}  // namespace

SpaceTree::SpaceTree(const py::tuple& description, const char* name) {
  root_ = Read(description, name);
}

SpaceTree::Node SpaceTree::Read(const py::tuple& description, std::string name) {
  const auto kind = py::cast<std::string>(description[0]);
  Node node;
  node.name = std::move(name);
  if (kind == "leaf") {
    Leaf leaf;
    leaf.descr = description[1];
    for (const py::handle length : py::tuple(description[2])) {
      leaf.shape.push_back(py::cast<std::int64_t>(length));
    }
    leaf.elements = static_cast<std::size_t>(NumElements(leaf.shape));
    leaf.item_bytes = static_cast<std::size_t>(PyDataType_ELSIZE(leaf.Descr()));
    // DTypeOfArray needs an array of this dtype.
    Py_INCREF(leaf.descr.ptr());
    const py::object empty = NewArrayOf(leaf.Descr(), {0}, nullptr);
    const std::optional<DType> dtype = DTypeOfArray(AsArray(empty));
    leaf.plain = dtype.has_value() && PyArray_ISNOTSWAPPED(AsArray(empty));
    leaf.dtype = leaf.plain ? *dtype : DType::kUInt8;
    node.index = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(std::move(leaf));
    return node;
  }
  if (kind == "object") {
    node.kind = Kind::kObject;
    node.index = num_objects_++;
    return node;
  }
  node.kind = kind == "dict" ? Kind::kDict : Kind::kTuple;
  for (const py::handle child : py::list(description[1])) {
    const auto pair = node.kind == Kind::kDict ? py::cast<py::tuple>(child)
                                               : py::make_tuple(node.children.size(), child);
    const py::object key = pair[0];
    node.Add(key, Read(py::cast<py::tuple>(pair[1]), node.NameOf(key)));
  }
  return node;
}

std::string SpaceTree::Leaf::Text() const {
  return "an array of shape " + ShapeToString(shape.data(), shape.size()) + " and dtype " +
         py::cast<std::string>(py::str(descr));
}

py::object SpaceTree::Leaf::ArrayAt(std::byte* memory, std::int64_t rows) const {
  Py_INCREF(descr.ptr());
  return NewArrayOf(Descr(), Dims(shape, rows), memory);
}

// --- Observations --------------------------------------------------------------------------------

SpaceSpec SpaceTree::Columns() const {
  std::vector<SpaceSpec> columns;
  for (const Leaf& leaf : leaves_) {
    SpaceSpec column;
    column.dtype = leaf.dtype;
    column.shape = leaf.shape;
    if (!leaf.plain) column.shape.push_back(static_cast<std::int64_t>(leaf.item_bytes));
    columns.push_back(std::move(column));
  }
  return is_plain() ? columns[0] : SpaceSpec::Tuple(std::move(columns));
}

py::object SpaceTree::Write(py::handle value, const ObsRow& row, py::handle store) const {
  if (num_objects_ == 0) {
    WriteNode(root_, value, row, store, py::tuple());
    return py::none();
  }
  py::tuple objects(num_objects_);
  WriteNode(root_, value, row, store, objects);
  return objects;
}

void SpaceTree::WriteNode(const Node& node, py::handle value, const ObsRow& row, py::handle store,
                          const py::tuple& objects) const {
  switch (node.kind) {
    case Kind::kLeaf:
      WriteLeaf(node, value, row.Data<std::byte>(node.index), store);
      return;
    case Kind::kObject:
      Py_INCREF(value.ptr());
      PyTuple_SET_ITEM(objects.ptr(), static_cast<Py_ssize_t>(node.index), value.ptr());
      return;
    case Kind::kDict:
    case Kind::kTuple:
      for (std::size_t i = 0; i < node.children.size(); ++i)
        WriteNode(node.children[i], PartOf(node, value, i), row, store, objects);
      return;
  }
}

void SpaceTree::WriteLeaf(const Node& node, py::handle value, std::byte* to,
                          py::handle store) const {
  const Leaf& leaf = leaves_[node.index];
  if (PyArray_CheckExact(value.ptr())) {
    PyArrayObject* const array = AsArray(value);
    const auto num_dims = static_cast<std::size_t>(PyArray_NDIM(array));
    if (PyArray_TYPE(array) == leaf.Descr()->type_num && PyArray_ISCARRAY_RO(array) &&
        PyDataType_ISNOTSWAPPED(leaf.Descr()) && num_dims == leaf.shape.size() &&
        std::equal(leaf.shape.begin(), leaf.shape.end(), PyArray_DIMS(array))) {
      std::memcpy(to, PyArray_DATA(array), leaf.bytes());
      return;
    }
  } else if (leaf.shape.empty() && leaf.plain && leaf.dtype == DType::kInt64) {
    if (PyLong_CheckExact(value.ptr())) {
      const long long number = PyLong_AsLongLong(value.ptr());
      if (number != -1 || PyErr_Occurred() == nullptr) {
        std::memcpy(to, &number, sizeof number);
        return;
      }
      PyErr_Clear();  // store() raises NumPy's error
    } else if (PyArray_IsScalar(value.ptr(), Int64)) {
      PyArray_ScalarAsCtype(value.ptr(), to);
      return;
    }
  }
  const py::object out = leaf.ArrayAt(to, 1);
  const py::object stored = py::reinterpret_steal<py::object>(CallPython(
      [&] { return PyObject_CallFunctionObjArgs(store.ptr(), value.ptr(), out.ptr(), nullptr); }));
  if (stored) return;
  ClearException();
  throw Unexpected(node.name, leaf.Text(), value);
}

py::object SpaceTree::Assemble(const py::object& columns,
                               const std::vector<py::list>& objects) const {
  if (is_plain()) return columns;
  return MakeNested(root_, [&](const Node& node) -> py::object {
    if (node.kind == Kind::kObject) return py::tuple(objects[node.index]);
    py::object column = Item(columns, py::int_(node.index));
    const Leaf& leaf = leaves_[node.index];
    if (leaf.plain) return column;
    py::object array = leaf.ArrayAt(DataOf<std::byte>(column), PyArray_DIM(AsArray(column), 0));
    if (PyArray_SetBaseObject(AsArray(array), column.release().ptr()) != 0) {
      throw py::error_already_set();
    }
    return array;
  });
}

// --- Actions -------------------------------------------------------------------------------------

TreeSlotLayout SpaceTree::SlotLayout() const {
  std::vector<std::size_t> max_bytes;
  for (const Leaf& leaf : leaves_) {
    max_bytes.push_back(leaf.elements * std::max(leaf.item_bytes, kMaxItemBytes));
  }
  return TreeSlotLayout(std::move(max_bytes));
}

void SpaceTree::TakeApart(py::handle actions, ActionTree& tree,
                          std::vector<py::object>& kept) const {
  tree.columns.resize(leaves_.size());
  VisitLeaves(root_, actions,
              [&](const Node& node, py::handle value) { TakeLeaf(node, value, tree, kept); });
}

void SpaceTree::TakeLeaf(const Node& node, py::handle value, ActionTree& tree,
                         std::vector<py::object>& kept) const {
  const std::string& name = node.name;
  const Leaf& leaf = leaves_[node.index];
  constexpr int kNeeded = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_NOTSWAPPED;
  py::object array = py::reinterpret_steal<py::object>(
      PyArray_CheckFromAny(value.ptr(), nullptr, 0, 0, kNeeded, nullptr));
  if (!array) ThrowNoArray(value, name.c_str());
  PyArrayObject* const given = AsArray(array);
  // PyTypeNum_ISNUMBER does not include float16.
  if (!PyTypeNum_ISNUMBER(PyArray_TYPE(given)) && PyArray_TYPE(given) != NPY_HALF) {
    throw Error(ErrorKind::kInputType,
                name + ": expected an array of numbers, got dtype " + DTypeText(given));
  }
  const auto num_dims = static_cast<std::size_t>(PyArray_NDIM(given));
  const auto item_bytes = static_cast<std::size_t>(PyArray_ITEMSIZE(given));
  const bool fits = num_dims == leaf.shape.size() + 1 &&
                    std::equal(leaf.shape.begin(), leaf.shape.end(), PyArray_DIMS(given) + 1);
  if (!fits) {
    const std::string shape =
        ShapeToString(leaf.shape.data(), leaf.shape.size()).substr(1);  // without "("
    const std::string rows = leaf.shape.empty() ? "(n,)" : "(n, " + shape;
    throw Error(
        num_dims == 0 ? ErrorKind::kInputType : ErrorKind::kInput,
        name + ": expected shape " + rows + " (one row for each of n environments), got " +
            ShapeToString(reinterpret_cast<const std::int64_t*>(PyArray_DIMS(given)), num_dims));
  }
  if (item_bytes > std::max(leaf.item_bytes, kMaxItemBytes)) {
    throw Error(ErrorKind::kInputType, name + ": expected numbers of at most " +
                                           std::to_string(kMaxItemBytes) + " bytes, got " +
                                           std::to_string(item_bytes));
  }
  const auto rows = static_cast<std::uint32_t>(PyArray_DIM(given, 0));
  if (!kept.empty() && rows != tree.rows) {
    throw Error(ErrorKind::kInput, name + ": expected " + std::to_string(tree.rows) +
                                       " rows as in the other parts of the action, got " +
                                       std::to_string(rows));
  }
  tree.rows = rows;
  tree.columns[node.index] = {.data = static_cast<const std::byte*>(PyArray_DATA(given)),
                              .row_bytes = leaf.elements * item_bytes,
                              .type = static_cast<std::uint32_t>(PyArray_TYPE(given))};
  kept.push_back(std::move(array));
}

py::object SpaceTree::MakeAction(const TreeSlotLayout& layout, const std::byte* slot) const {
  return MakeNested(root_, [&](const Node& node) -> py::object {
    const Leaf& leaf = leaves_[node.index];
    const std::byte* const data = layout.Column(slot, node.index);
    PyArray_Descr* const descr =
        PyArray_DescrFromType(static_cast<int>(layout.Types(slot)[node.index]));
    if (leaf.shape.empty()) {
      py::object scalar = py::reinterpret_steal<py::object>(
          PyArray_Scalar(const_cast<std::byte*>(data), descr, nullptr));
      Py_DECREF(descr);
      if (!scalar) throw py::error_already_set();
      return scalar;
    }
    const std::size_t bytes = leaf.elements * static_cast<std::size_t>(PyDataType_ELSIZE(descr));
    py::object array = NewArrayOf(descr, Dims(leaf.shape, -1), nullptr);
    std::memcpy(DataOf<std::byte>(array), data, bytes);
    return array;
  });
}

}  // namespace engine::bindings
