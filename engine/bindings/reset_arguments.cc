#include "engine/bindings/reset_arguments.h"

#include <limits>
#include <string>

#include "engine/base/error.h"
#include "engine/bindings/array_argument.h"
#include "engine/bindings/python_values.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

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

}  // namespace

void ReadSeeds(py::handle seed, std::int64_t n, std::uint32_t num_envs, ResetRequest& request) {
  if (seed.is_none()) return;
  if (IsBool(seed) || PyUnicode_Check(seed.ptr()) || PyBytes_Check(seed.ptr()) ||
      !(PyIndex_Check(seed.ptr()) || PySequence_Check(seed.ptr()))) {
    throw Error(ErrorKind::kInputType, "seed: expected None, an integer or a list of them, got " +
                                           TypeName(seed) + " " + Repr(seed));
  }
  const bool is_array = PyArray_Check(seed.ptr()) && PyArray_NDIM(AsArray(seed)) > 0;
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

void CheckSeeds(const ResetRequest& request, std::uint32_t num_envs, std::uint64_t max_seed) {
  if (request.seed_by_env && request.first_seed + (num_envs - 1) > max_seed) {
    throw Error(ErrorKind::kInput,
                "seed: expected seed + num_envs - 1 <= " + std::to_string(max_seed) +
                    " for this task, got seed " + std::to_string(request.first_seed));
  }
  for (std::size_t i = 0; i < request.seeds.size(); ++i) {
    if (request.has_seed[i] == 0 || request.seeds[i] <= max_seed) continue;
    throw Error(ErrorKind::kInput, "seed[" + std::to_string(i) + "]: expected an integer in [0, " +
                                       std::to_string(max_seed) + "] for this task, got " +
                                       std::to_string(request.seeds[i]));
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

}  // namespace engine::bindings
