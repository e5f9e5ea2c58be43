// The arguments that pools of every kind have, and checks of single arguments. All functions need
// the GIL.
#ifndef ENGINE_BINDINGS_POOL_ARGUMENTS_H_
#define ENGINE_BINDINGS_POOL_ARGUMENTS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <limits>

#include "engine/group/env_group.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

// More environments than this do not fit into the 32-bit ids of a batch.
inline constexpr std::int64_t kMaxEnvs = std::numeric_limits<std::int32_t>::max();

// Throws Error{kOption} if the value is not in [low, high].
std::int64_t ReadCount(const pybind11::int_& value, const char* name, std::int64_t low,
                       std::int64_t high);
// Nanoseconds; WaitContext::kForever for None.
std::int64_t ReadTimeout(const pybind11::object& timeout);

// Returns arguments[name], or `absent` if there is no such argument or it is None.
template <class T>
T ValueOr(const pybind11::dict& arguments, const char* name, T absent) {
  if (!arguments.contains(name) || arguments[name].is_none()) return absent;
  return pybind11::cast<T>(arguments[name]);
}

struct PoolArguments {
  GroupConfig group;
  PoolConfig pool;          // without the threads, which only some pools have
  bool extra_infos = true;  // infos have "env_id" and "elapsed_step"

  BatchConfig batches() const { return pool.batches(group.records_episodes); }
};

// Reads the arguments of every pool by the names of PoolArguments in envpool_py/pool/arguments.py,
// whose `core_form` returns them; the rest have readers of their own. Throws Error{kOption}.
PoolArguments ReadPoolArguments(const pybind11::dict& arguments);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_ARGUMENTS_H_
