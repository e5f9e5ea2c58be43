// Checks tasks at registration. Rejects tasks that would fail later or that no caller could use.
// The messages name the task. Callable from any thread.
#ifndef ENGINE_TASKS_CHECK_TASK_H_
#define ENGINE_TASKS_CHECK_TASK_H_

#include <string>
#include <vector>

#include "engine/tasks/registry.h"

namespace engine {

// Sets the names of `make`'s own arguments, which no option of a task may have. Called when the
// package is imported, before other threads register tasks.
void ReserveOptionNames(std::vector<std::string> names);

// Throws Error{kPlugin} for a malformed id, a negative step limit, a threshold that is not a
// number, options with inconsistent bounds or defaults, and a spec with default options that is
// inconsistent or throws.
void CheckTask(const TaskEntry& entry);

}  // namespace engine

#endif  // ENGINE_TASKS_CHECK_TASK_H_
