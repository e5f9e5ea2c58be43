// process_handle.h with ids of processes. The system does not use an id again before the parent has
// reaped the process; if that is another process, an id may be used again between the look at the
// pipe and the call. If a process that C has forked in it lives on, the end is seen with that
// one's.
#include <signal.h>
#include <sys/wait.h>

#include "engine/base/os/process_handle.h"

namespace engine {

void Kill(const ProcessHandle& process) {
  if (HasEnded(process)) return;
  // With its group, which it leads after its first moments: a process that C has forked in it may
  // hold the pipe.
  if (kill(-process.id, SIGKILL) != 0) kill(process.id, SIGKILL);
}

bool ReadEnd(const ProcessHandle& process, siginfo_t& info) {
  info = {};
  return waitid(P_PID, static_cast<id_t>(process.id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

}  // namespace engine
