// The settings that a pool of Python environments and its workers have in common.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_CONFIG_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_CONFIG_H_

#include <pybind11/pybind11.h>

#include "engine/group/env_group.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

struct PythonPoolConfig {
  GroupConfig group;
  PoolConfig pool;

  BatchConfig batches() const { return pool.batches(group.records_episodes); }
};

// Reads what PoolSettings.core_arguments returns. Throws Error{kOption}.
PythonPoolConfig ReadPythonPoolConfig(const pybind11::dict& settings);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_POOL_CONFIG_H_
