// System calls of a worker process: mapping the pool's memory, and ending together with the pool's
// process.
#ifndef ENGINE_PROCESSES_WORKER_PROCESS_H_
#define ENGINE_PROCESSES_WORKER_PROCESS_H_

#include <memory>

#include "engine/processes/shared_arena.h"

namespace engine {

// Maps all of the file and closes the descriptor. Throws Error{kMemory}.
std::unique_ptr<SharedMapping> MapWhole(int fd);

// Kills this process as soon as the process with this descriptor (ProcessHandle::fd) has ended,
// even in the middle of a step.
void EndThisProcessWith(int fd);

}  // namespace engine

#endif  // ENGINE_PROCESSES_WORKER_PROCESS_H_
