// What a worker process does at its start: mapping the pool's memory, ending together with the
// pool's process, and waiting until the pool knows this process.
#ifndef ENGINE_PROCESSES_WORKER_PROCESS_H_
#define ENGINE_PROCESSES_WORKER_PROCESS_H_

#include <cstdint>
#include <memory>

#include "engine/processes/shared_arena.h"
#include "engine/processes/shared_state.h"

namespace engine {

// Maps all of the file and closes the descriptor. Throws Error{kMemory}.
std::unique_ptr<SharedMapping> MapWhole(int fd);

// Kills this process as soon as the process with this descriptor (ProcessHandle::fd) has ended,
// even in the middle of a step.
void EndThisProcessWith(int fd);

// Waits until the pool has attached a process to the worker, or was closed. Returns whether it is
// this process. Otherwise the pool has lost this one (an interrupted start, too many open files),
// has started another, and this process must not use the state.
bool WaitUntilAttached(const SharedState& state, std::uint32_t worker);

}  // namespace engine

#endif  // ENGINE_PROCESSES_WORKER_PROCESS_H_
