// A worker ends when the process of its pool ends, whatever the worker is doing.
#include "engine/processes/worker_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/harness.h"
#include "tests/engine/support/forking.h"

namespace engine::testing {
namespace worker_process_test {

[[noreturn]] void Pause() {
  while (true) pause();
}

TEST(WorkerProcess, EndsWithThePoolsProcess) {
  const ProcessHandle pool = Fork([] { Pause(); });
  ASSERT_TRUE(pool.fd >= 0);
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const ProcessHandle worker = Fork([&] {
    EndThisProcessWith(pool.fd);

    const char ready = 1;
    if (write(told[1], &ready, 1) != 1) _exit(1);
    Pause();
  });
  char ready = 0;
  ASSERT_EQ(read(told[0], &ready, 1), static_cast<ssize_t>(1));
  EXPECT_EQ(waitpid(worker.id, nullptr, WNOHANG), 0);  // it runs while the pool's process runs
  kill(pool.id, SIGKILL);
  waitpid(pool.id, nullptr, 0);
  int status = 0;
  waitpid(worker.id, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  for (const int fd : {pool.fd, worker.fd, told[0], told[1]}) close(fd);
}

TEST(WorkerProcess, EndsWithItsProcessGroup) {
  const ProcessHandle pool = Fork([] { Pause(); });
  int alive[2];  // closed when both processes have ended
  ASSERT_EQ(pipe(alive), 0);
  const ProcessHandle worker = Fork([&] {
    setpgid(0, 0);
    if (fork() == 0) Pause();
    EndThisProcessWith(pool.fd);
    Pause();
  });
  close(alive[1]);
  kill(pool.id, SIGKILL);
  waitpid(pool.id, nullptr, 0);
  char byte = 0;
  EXPECT_EQ(read(alive[0], &byte, 1), static_cast<ssize_t>(0));
  waitpid(worker.id, nullptr, 0);
  for (const int fd : {pool.fd, worker.fd, alive[0]}) close(fd);
}

}  // namespace worker_process_test
}  // namespace engine::testing
