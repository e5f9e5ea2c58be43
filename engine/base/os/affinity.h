// The processors on which this process and its threads may run. Any thread.
#ifndef ENGINE_BASE_OS_AFFINITY_H_
#define ENGINE_BASE_OS_AFFINITY_H_

#include <string>
#include <vector>

namespace engine {

// The processors on which the main thread of this process may run, sorted; the calling thread may
// be bound separately. Empty if the system does not say.
std::vector<int> AllowedProcessors();

// Binds the calling thread to these processors, of which there is at least one, if the system can.
// Errors are ignored. Does not allocate if their numbers are usual ones (below 1,024).
void BindThisThread(const std::vector<int>& cpus);

// The name of the processor model, if a call of the system gives it; otherwise "". Linux has a
// file.
std::string ProcessorModel();

}  // namespace engine

#endif  // ENGINE_BASE_OS_AFFINITY_H_
