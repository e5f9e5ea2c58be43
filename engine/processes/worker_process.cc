#include "engine/processes/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace engine
