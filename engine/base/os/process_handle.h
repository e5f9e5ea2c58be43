// A process that this one has started, or had started by another one: how to see its end, and to
// kill it. Called by ProcessExecutor with its lock held.
#ifndef ENGINE_BASE_OS_PROCESS_HANDLE_H_
#define ENGINE_BASE_OS_PROCESS_HANDLE_H_

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

namespace engine {

// Does not own its descriptor. On Linux that is a pidfd. Elsewhere it is the reading end of a pipe
// whose writing end the process holds, and no other one.
struct ProcessHandle {
  pid_t id = 0;
  int fd = -1;  // becomes readable when the process has ended
};

inline bool HasEnded(const ProcessHandle& process) {
  pollfd descriptor{.fd = process.fd, .events = POLLIN, .revents = 0};
  return poll(&descriptor, 1, 0) > 0;
}

// Sends SIGKILL, unless the process has ended.
void Kill(const ProcessHandle& process);

// How a child of this process ended, without reaping it. Returns false if it is no child, was
// reaped, or has not ended.
bool ReadEnd(const ProcessHandle& process, siginfo_t& info);

}  // namespace engine

#endif  // ENGINE_BASE_OS_PROCESS_HANDLE_H_
