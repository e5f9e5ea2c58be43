// The part of the Python class Pool that shares it with compiled programs.
#include "engine/base/error.h"
#include "engine/bindings/option_arguments.h"
#include "engine/bindings/pool_binding.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

py::tuple TupleOf(const xla::State& state) {
  return py::make_tuple(state[0], state[1], state[2], state[3]);
}

py::list DescribeFields(const BatchLayout& layout) {
  py::list fields;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    py::tuple shape(layout.shapes[i].size());
    for (std::size_t dim = 0; dim < layout.shapes[i].size(); ++dim) {
      shape[dim] = layout.shapes[i][dim];
    }
    fields.append(py::make_tuple(layout.names[i], NameOf(layout.fields[i].dtype), shape));
  }
  return fields;
}

}  // namespace

py::dict PoolBinding::ShareWithXla(py::dict reset_options) {
  Pool& pool = Usable();
  pool.CheckOpen();
  if (pool.spec().players) {
    throw Error(ErrorKind::kInput, "envpool_py.jax: " + tasks_.Names() +
                                       " has several players, which it does not support");
  }
  std::shared_ptr<xla::SharedPool> shared;
  {
    const ScopedLock lock(shared_mutex_);
    if (shared_ == nullptr) {
      shared_ = xla::SharedPool::Share(
          pool_, tasks_.Names() + ", num_envs=" + std::to_string(pool.num_envs()));
    }
    shared = shared_;
  }
  if (!reset_options.empty()) {
    shared->SetResetOptions(tasks_.ReadResetOptions(reset_options));
  }
  py::dict described;
  described["max_seed"] = pool_->spec().max_seed;
  described["restart"] = TupleOf(shared->restart_state());
  // Attributes of a call are signed.
  described["stamp"] = static_cast<std::int64_t>(shared->layout_stamp());
  described["fields"] = DescribeFields(pool.layout());
  return described;
}

void PoolBinding::AllowXlaRestart() {
  if (const auto known = shared()) known->AllowRestart();
}

py::tuple PoolBinding::XlaState() const {
  const auto known = shared();
  if (known == nullptr) throw Error(ErrorKind::kInternal, "xla_state: the pool is not shared");
  return TupleOf(known->state());
}

}  // namespace engine::bindings
