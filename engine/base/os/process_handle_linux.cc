// process_handle.h with pidfds, which belong to one process even if its id is used again.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/os/process_handle.h"

namespace engine {

void Kill(const ProcessHandle& process) {
  syscall(SYS_pidfd_send_signal, process.fd, SIGKILL, nullptr, 0);
}

bool ReadEnd(const ProcessHandle& process, siginfo_t& info) {
  constexpr int kPidFd = 3;  // P_PIDFD, which older headers lack
  info = {};
  return waitid(static_cast<idtype_t>(kPidFd), static_cast<id_t>(process.fd), &info,
                WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

}  // namespace engine
