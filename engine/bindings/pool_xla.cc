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
  if (shared_ == nullptr) {
    shared_ = xla::SharedPool::Share(
        pool_, tasks_.Names() + ", num_envs=" + std::to_string(pool.num_envs()));
  }
  if (!reset_options.empty()) {
    shared_->SetResetOptions(tasks_.ReadResetOptions(reset_options));
  }
  py::dict shared;
  shared["max_seed"] = pool_->spec().max_seed;
  shared["restart"] = TupleOf(shared_->restart_state());
  // Attributes of a call are signed.
  shared["stamp"] = static_cast<std::int64_t>(shared_->layout_stamp());
  shared["fields"] = DescribeFields(pool.layout());
  return shared;
}

void PoolBinding::AllowXlaRestart() {
  if (shared_ != nullptr) shared_->AllowRestart();
}

py::tuple PoolBinding::XlaState() const {
  if (shared_ == nullptr) throw Error(ErrorKind::kInternal, "xla_state: the pool is not shared");
  return TupleOf(shared_->state());
}

}  // namespace engine::bindings
