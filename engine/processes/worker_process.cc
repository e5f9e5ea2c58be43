#include "engine/processes/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace engine {

std::unique_ptr<SharedMapping> MapWhole(int fd) {
  struct stat status{};
  const bool known = fstat(fd, &status) == 0;
  auto mapping = std::make_unique<SharedMapping>(
      fd, known ? static_cast<std::size_t>(status.st_size) : std::size_t{0});
  close(fd);  // the mapping stays
  return mapping;
}

void EndThisProcessWith(int fd) {
  // Blocks signals in the new thread, because the main thread waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([fd] {
    pollfd descriptor{.fd = fd, .events = POLLIN, .revents = 0};
    while (poll(&descriptor, 1, -1) < 0) {
    }
    // Not exit(), because it would run code of the environments. What they have started is in this
    // process's group.
    kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL);
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool WaitUntilAttached(const SharedState& state, std::uint32_t worker) {
  constexpr std::chrono::microseconds kLongestPause(20'000);
  const WorkerLine& line = state.worker(worker);
  // Polls, because the parkers are for attached processes. The pool attaches a process as soon as
  // it has started it, so a worker that has made its environments rarely has to wait.
  for (std::chrono::microseconds pause(100);; pause = std::min(2 * pause, kLongestPause)) {
    const std::uint32_t process = line.process.load(std::memory_order_acquire);
    if (process != 0) return process == static_cast<std::uint32_t>(getpid());
    if (state.header().closed.load(std::memory_order_acquire) != 0) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace engine
