// A worker ends when the process of its pool ends, whatever the worker is doing.
#include "engine/processes/worker_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace worker_process_test {

template <class Function>
pid_t Fork(Function&& function) {
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    function();
    while (true) pause();
  }
  return process;
}

TEST(WorkerProcess, EndsWithThePoolsProcess) {
  const pid_t pool = Fork([] {});
  const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, pool, 0));
  ASSERT_TRUE(pidfd >= 0);
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t worker = Fork([&] {
    EndThisProcessWith(pidfd);

    const char ready = 1;
    if (write(told[1], &ready, 1) != 1) _exit(1);
  });
  char ready = 0;
  ASSERT_EQ(read(told[0], &ready, 1), static_cast<ssize_t>(1));
  EXPECT_EQ(waitpid(worker, nullptr, WNOHANG), 0);  // it runs while the pool's process runs
  kill(pool, SIGKILL);
  waitpid(pool, nullptr, 0);
  int status = 0;
  waitpid(worker, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  for (const int fd : {pidfd, told[0], told[1]}) close(fd);
}

TEST(WorkerProcess, EndsWithItsProcessGroup) {
  const pid_t pool = Fork([] {});
  const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, pool, 0));
  int alive[2];  // closed when both processes have ended
  ASSERT_EQ(pipe(alive), 0);
  const pid_t worker = Fork([&] {
    setpgid(0, 0);
    if (fork() == 0) {
      while (true) pause();
    }
    EndThisProcessWith(pidfd);
  });
  close(alive[1]);
  kill(pool, SIGKILL);
  waitpid(pool, nullptr, 0);
  char byte = 0;
  EXPECT_EQ(read(alive[0], &byte, 1), static_cast<ssize_t>(0));
  waitpid(worker, nullptr, 0);
  for (const int fd : {pidfd, alive[0]}) close(fd);
}

}  // namespace worker_process_test
}  // namespace engine::testing
