// What a worker process needs of the system: the pool's memory, and to end when the pool's process
// does.
#ifndef ENGINE_PROCESSES_WORKER_PROCESS_H_
#define ENGINE_PROCESSES_WORKER_PROCESS_H_

#include <memory>

#include "engine/processes/shared_arena.h"

namespace engine {

// Maps all of the file and closes the descriptor. Throws Error{kMemory}.
std::unique_ptr<SharedMapping> MapWhole(int fd);

// Kills this process when the process of `pidfd` has ended, whatever this one is doing then.
void EndThisProcessWith(int pidfd);

}  // namespace engine

#endif  // ENGINE_PROCESSES_WORKER_PROCESS_H_
