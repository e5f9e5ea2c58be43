// Seeds and masks of resets, from Python values. All functions need the GIL.
#ifndef ENGINE_BINDINGS_RESET_ARGUMENTS_H_
#define ENGINE_BINDINGS_RESET_ARGUMENTS_H_

#include <pybind11/pybind11.h>

#include <cstdint>

#include "engine/runtime/pool.h"

namespace engine::bindings {

// seed=: None, one integer (environment i gets seed + i), or a sequence with an integer or None for
// each of `n` items. `num_envs` limits a single integer: all seeds must fit in 64 bits.
void ReadSeeds(pybind11::handle seed, std::int64_t n, std::uint32_t num_envs,
               ResetRequest& request);

// Throws Error{kInput} if a seed is larger than the environments accept (EnvSpec::max_seed).
void CheckSeeds(const ResetRequest& request, std::uint32_t num_envs, std::uint64_t max_seed);

// options["reset_mask"]: a bool array of shape (num_envs,) with at least one True.
void ReadMask(pybind11::handle mask, std::uint32_t num_envs, ResetRequest& request);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_RESET_ARGUMENTS_H_
