// The arguments that pools of every kind have, and checks of single arguments. All functions need
// the GIL.
#ifndef ENGINE_BINDINGS_POOL_ARGUMENTS_H_
#define ENGINE_BINDINGS_POOL_ARGUMENTS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <limits>

#include "engine/batch/batch_layout.h"
#include "engine/group/env_group.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

// More environments than this do not fit into the 32-bit ids of a batch.
inline constexpr std::int64_t kMaxEnvs = std::numeric_limits<std::int32_t>::max();

// Throws Error{kOption} if the value is not in [low, high].
std::int64_t ReadCount(const pybind11::int_& value, const char* name, std::int64_t low,
                       std::int64_t high);
// Nanoseconds; Caller::kForever for None.
std::int64_t ReadTimeout(const pybind11::object& timeout);

// Returns arguments[name], or `absent` if there is no such argument.
template <class T>
T ValueOr(const pybind11::dict& arguments, const char* name, T absent) {
  return arguments.contains(name) ? pybind11::cast<T>(arguments[name]) : absent;
}

struct PoolArguments {
  GroupConfig group;
  PoolConfig pool;        // without the threads, which only some pools have
  bool own_infos = true;  // infos have "env_id" and "elapsed_step"

  BatchExtras extras() const {
    return {.final_frames = pool.autoreset == AutoresetMode::kSameStep,
            .dm_columns = pool.dm_columns,
            .episodes = group.records_episodes};
  }
};

// Reads the arguments that `_core.pyi` describes for Pool. Throws Error{kOption}.
PoolArguments ReadPoolArguments(const pybind11::dict& arguments);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_POOL_ARGUMENTS_H_
