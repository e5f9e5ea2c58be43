// Forks processes for tests of processes, and gives their handles.
#ifndef ENGINE_TESTS_ENGINE_SUPPORT_FORKING_H_
#define ENGINE_TESTS_ENGINE_SUPPORT_FORKING_H_

#include <signal.h>
#include <unistd.h>

#include <stdexcept>

#include "engine/base/os/process_handle.h"
#include "tests/engine/os_layer.h"

#if defined(__linux__)
#include <sys/prctl.h>
#endif
#if ENGINE_OS_IS_LINUX
#include <sys/syscall.h>
#endif

namespace engine::testing {

// Called in a forked process, which no test may leave behind.
inline void EndWithTheTest() {
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

// Forks a process that calls a function, which does not return. Its handle has a pipe.
template <class Function>
ProcessHandle ForkWithPipe(Function&& function) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  const pid_t process = fork();
  if (process == 0) {
    EndWithTheTest();
    close(ends[0]);
    function();
  }
  close(ends[1]);
  return {.id = process, .fd = ends[0]};
}

// The same; its handle is as the engine requires it on this system.
template <class Function>
ProcessHandle Fork(Function&& function) {
#if ENGINE_OS_IS_LINUX
  const pid_t process = fork();
  if (process == 0) {
    EndWithTheTest();
    function();
  }
  return {.id = process, .fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
#else
  return ForkWithPipe(function);
#endif
}

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_SUPPORT_FORKING_H_
