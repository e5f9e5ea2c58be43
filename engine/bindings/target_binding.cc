#include "engine/bindings/target_binding.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/python_host.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

std::string KindOf(py::handle value) {
  if (!PyArray_Check(value.ptr())) return Py_TYPE(value.ptr())->tp_name;
  auto* const array = AsArray(value);
  std::string kind = py::cast<std::string>(py::str(value.attr("dtype"))) + " of shape " +
                     py::cast<std::string>(py::str(value.attr("shape")));
  if (!PyArray_IS_C_CONTIGUOUS(array)) kind += ", not C-contiguous";
  if (!PyArray_ISALIGNED(array)) kind += ", not aligned";
  if (!PyArray_ISWRITEABLE(array)) kind += ", read-only";
  return kind;
}

bool Matches(py::handle value, const Field& field, const Shape& shape) {
  if (!PyArray_Check(value.ptr())) return false;
  auto* const array = AsArray(value);
  if (PyArray_TYPE(array) != NumpyTypeOf(field.dtype) || !PyArray_ISCARRAY(array)) return false;
  const std::size_t dims = field.is_scalar ? 0 : shape.size();
  if (static_cast<std::size_t>(PyArray_NDIM(array)) != dims + 1) return false;
  return field.is_scalar || std::equal(shape.begin(), shape.end(), PyArray_DIMS(array) + 1);
}

}  // namespace

PythonTarget::PythonTarget(const BatchLayout& layout, std::uint64_t pool_id, const py::dict& arrays)
    : pool_id_(pool_id), arrays_(layout.fields.size(), nullptr) {
  fields.assign(layout.fields.size(), nullptr);
  const py::dict given = OwnDict(arrays);
  if (given.empty()) throw Error(ErrorKind::kInput, "target: expected at least one array, got {}");
  for (const auto& [name, value] : given) {
    const auto key = py::cast<std::string>(py::str(name));
    const FieldIndex field = layout.Find(key);
    if (field == BatchLayout::kNoField) {
      throw Error(ErrorKind::kInput, "target: the pool's batches have no field \"" + key + "\"");
    }
    Add(layout, field, value);
  }
  owner_ = KeepAlive(py::list(given.attr("values")()));
}

void PythonTarget::Add(const BatchLayout& layout, FieldIndex field, py::handle value) {
  const Shape& shape = layout.shapes[field];
  if (!Matches(value, layout.fields[field], shape)) {
    py::object dtype = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(
        PyArray_DescrFromType(NumpyTypeOf(layout.fields[field].dtype))));
    std::string row;
    for (const std::int64_t size : shape) row += ", " + std::to_string(size);
    throw Error(ErrorKind::kInputType, "target \"" + layout.names[field] +
                                           "\": expected a writable C-contiguous array of " +
                                           py::cast<std::string>(py::str(dtype)) +
                                           " of shape (rows" + (row.empty() ? "," : row) +
                                           "), got " + KindOf(value));
  }
  auto* const array = AsArray(value);
  const auto num_rows = static_cast<std::uint64_t>(PyArray_DIM(array, 0));
  const bool is_first =
      std::all_of(arrays_.begin(), arrays_.end(), [](PyObject* known) { return known == nullptr; });
  if (!is_first && num_rows != rows) {
    throw Error(ErrorKind::kInput,
                "target \"" + layout.names[field] +
                    "\": all arrays must have the same number of rows; expected " +
                    std::to_string(rows) + ", got " + std::to_string(num_rows));
  }
  rows = num_rows;
  arrays_[field] = value.ptr();
  fields[field] = static_cast<std::byte*>(PyArray_DATA(array));
}

// Freeing the arrays may run Python code, which may call this pool, so targets_ is updated first.
void TargetsInUse::Add(const PythonTargetPtr& target) {
  std::vector<PythonTargetPtr> dropped;
  const ScopedLock lock(mutex_);
  if (std::find(targets_.begin(), targets_.end(), target) != targets_.end()) return;
  targets_.push_back(target);
  dropped = TakeUnused();
}

void TargetsInUse::Prune() {
  std::vector<PythonTargetPtr> dropped;
  const ScopedLock lock(mutex_);
  dropped = TakeUnused();
}

std::vector<PythonTargetPtr> TargetsInUse::TakeUnused() {
  const auto unused =
      std::partition(targets_.begin(), targets_.end(),
                     [](const PythonTargetPtr& target) { return target.use_count() > 1; });
  std::vector<PythonTargetPtr> taken(std::make_move_iterator(unused),
                                     std::make_move_iterator(targets_.end()));
  targets_.erase(unused, targets_.end());
  return taken;
}

void PythonTarget::Register(py::module_& module) {
  py::class_<PythonTarget, PythonTargetPtr>(module, "RowTarget")
      .def_property_readonly("rows", [](const PythonTarget& target) { return target.rows; });
}

}  // namespace engine::bindings
