// The Python class RowTarget: arrays of the caller into which fields of batches are written (see
// engine/batch/row_target.h). Made by Pool.make_target. All functions need the GIL.
#ifndef ENGINE_BINDINGS_TARGET_BINDING_H_
#define ENGINE_BINDINGS_TARGET_BINDING_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/batch/batch_layout.h"
#include "engine/batch/row_target.h"

namespace engine::bindings {

class PythonTarget final : public TargetMemory {
 public:
  // `arrays`: by the names of the fields (BatchLayout::names), each C-contiguous, aligned,
  // writable, of the dtype of its field, with the same number of rows, each of the shape of the
  // field's rows. Throws Error{kInput} or Error{kInputType}.
  PythonTarget(const BatchLayout& layout, std::uint64_t pool_id, const pybind11::dict& arrays);

  // The array of a field that is redirected.
  PyObject* array(FieldIndex field) const { return arrays_[field]; }
  // Of the only pool that may use this.
  std::uint64_t pool_id() const { return pool_id_; }

  static void Register(pybind11::module_& module);

 private:
  void Add(const BatchLayout& layout, FieldIndex field, pybind11::handle value);

  const std::uint64_t pool_id_;
  std::vector<PyObject*> arrays_;  // by FieldIndex; null, or kept by owner_
  std::shared_ptr<void> owner_;
};

using PythonTargetPtr = std::shared_ptr<PythonTarget>;

// The targets that a pool uses. It has a reference to each, so that no other owner drops the last
// one, which needs the GIL, under a lock of the pool.
class TargetsInUse {
 public:
  void Add(const PythonTargetPtr& target);
  // Drops the entries to which nothing else refers.
  void Prune();

 private:
  std::vector<PythonTargetPtr> targets_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_TARGET_BINDING_H_
