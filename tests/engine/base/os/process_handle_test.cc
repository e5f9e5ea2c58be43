// Ends of processes: seen by their handles, and read without reaping.
#include "engine/base/os/process_handle.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/harness.h"
#include "tests/engine/support/forking.h"

namespace engine::testing {
namespace process_handle_test {

// Waits until the process can be reaped.
void AwaitEnd(const ProcessHandle& process) {
  pollfd descriptor{.fd = process.fd, .events = POLLIN, .revents = 0};
  while (poll(&descriptor, 1, -1) <= 0) {
  }
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process.id), &info, WEXITED | WNOWAIT);
}

TEST(ProcessHandle, AProcessRunsUntilItIsKilled) {
  const ProcessHandle process = Fork([] {
    while (true) pause();
  });
  ASSERT_TRUE(process.fd >= 0);
  siginfo_t info;
  EXPECT_FALSE(HasEnded(process));
  EXPECT_FALSE(ReadEnd(process, info));
  Kill(process);
  AwaitEnd(process);
  EXPECT_TRUE(HasEnded(process));
  for (int times = 0; times < 2; ++times) {  // it is not reaped
    ASSERT_TRUE(ReadEnd(process, info));
    EXPECT_EQ(info.si_pid, process.id);
    EXPECT_EQ(info.si_code, static_cast<int>(CLD_KILLED));
    EXPECT_EQ(info.si_status, SIGKILL);
  }
  Kill(process);  // does nothing
  waitpid(process.id, nullptr, 0);
  EXPECT_TRUE(HasEnded(process));
  EXPECT_FALSE(ReadEnd(process, info));
  Kill(process);
  close(process.fd);
}

TEST(ProcessHandle, TheExitCodeIsRead) {
  const ProcessHandle process = Fork([] { _exit(7); });
  AwaitEnd(process);
  siginfo_t info;
  ASSERT_TRUE(ReadEnd(process, info));
  EXPECT_EQ(info.si_code, static_cast<int>(CLD_EXITED));
  EXPECT_EQ(info.si_status, 7);
  waitpid(process.id, nullptr, 0);
  close(process.fd);
}

}  // namespace process_handle_test
}  // namespace engine::testing
