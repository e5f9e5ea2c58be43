// The core's side of the C interface (plugin_abi.h) when a plug-in is imported: checks whether the
// core can use the plug-in, and converts its tasks to entries of the registry. Callable from any
// thread.
#ifndef ENGINE_TASKS_ABI_ENTRY_H_
#define ENGINE_TASKS_ABI_ENTRY_H_

#include <string>

#include "engine/c_interface/plugin_abi.h"
#include "engine/tasks/registry.h"

namespace engine {

// Returns why the core cannot use the plug-in, or "" if it can. The message names both releases and
// the remedy.
std::string AbiMismatchOf(const envpool_plugin& plugin);

// `task` must stay valid until the process ends. Throws Error{kPlugin} if it is malformed.
TaskEntry EntryOfAbiTask(const envpool_task& task);

}  // namespace engine

#endif  // ENGINE_TASKS_ABI_ENTRY_H_
