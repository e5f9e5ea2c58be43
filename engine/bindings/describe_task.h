// Tasks, their spaces and options, as Python dicts. All functions need the GIL.
#ifndef ENGINE_BINDINGS_DESCRIBE_TASK_H_
#define ENGINE_BINDINGS_DESCRIBE_TASK_H_

#include <pybind11/pybind11.h>

#include "engine/tasks/registry.h"

namespace engine::bindings {

// The spaces of observations and actions.
pybind11::dict DescribeSpaces(const EnvSpec& spec);

pybind11::dict DescribeTask(const TaskEntry& entry, const EnvSpec& spec);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_DESCRIBE_TASK_H_
