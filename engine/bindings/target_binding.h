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
#include "engine/bindings/gil_mutex.h"

namespace engine::bindings {

class PythonTarget final : public TargetMemory {
 public:
  // `arrays`: arrays by field name (BatchLayout::names). Each must be C-contiguous, aligned and
  // writable, and have the dtype and the row shape of its field. All must have the same number of
  // rows. Throws Error{kInput} or Error{kInputType}.
  PythonTarget(const BatchLayout& layout, std::uint64_t pool_id, const pybind11::dict& arrays);

  // The caller's array for a field; null if the target has none.
  PyObject* array(FieldIndex field) const { return arrays_[field]; }
  // The id of the only pool that may use this target.
  std::uint64_t pool_id() const { return pool_id_; }

  static void Register(pybind11::module_& module);

 private:
  void Add(const BatchLayout& layout, FieldIndex field, pybind11::handle value);

  const std::uint64_t pool_id_;
  std::vector<PyObject*> arrays_;  // by FieldIndex; null, or owned by owner_
  std::shared_ptr<void> owner_;
};

using PythonTargetPtr = std::shared_ptr<PythonTarget>;

// The targets that a pool uses. Keeps a reference to each, because dropping the last one needs the
// GIL, and no thread may wait for the GIL while it holds a lock of the pool.
class TargetsInUse {
 public:
  void Add(const PythonTargetPtr& target);
  // Drops the entries to which nothing else refers.
  void Prune();

 private:
  // Takes out those entries.
  std::vector<PythonTargetPtr> TakeUnused() ENGINE_REQUIRES(mutex_);

  GilMutex mutex_;
  std::vector<PythonTargetPtr> targets_ ENGINE_GUARDED_BY(mutex_);
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_TARGET_BINDING_H_
