// The core's side of a plug-in's tasks in the C interface (abi.h): whether it can be used, and its
// tasks as entries of the registry. Called when a plug-in is imported; any thread.
#ifndef ENGINE_ENV_ABI_ENTRY_H_
#define ENGINE_ENV_ABI_ENTRY_H_

#include <string>

#include "engine/env/abi.h"
#include "engine/env/registry.h"

namespace engine {

// Why a plug-in cannot be used; "" if it can. The message names both releases, and what to do.
std::string AbiMismatchOf(const envpool_plugin& plugin);

// `task` must exist for as long as the process. Throws Error{kPlugin} if it is malformed.
TaskEntry EntryOfAbiTask(const envpool_task& task);

}  // namespace engine

#endif  // ENGINE_ENV_ABI_ENTRY_H_
