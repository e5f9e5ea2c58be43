// memory_file.h with POSIX shared memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>

#include "engine/base/os/memory_file.h"

namespace engine {

int MakeMemoryFile() {
  static std::atomic<std::uint32_t> made{0};
  // A name may be that of a process that was killed before it removed it, or of one in another
  // container. macOS allows 31 characters.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::string name = "/envpool_py-" + std::to_string(getpid()) + "-" +
                             std::to_string(made.fetch_add(1, std::memory_order_relaxed));
    const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);  // closed at exec
    if (fd >= 0) shm_unlink(name.c_str());
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

bool FreePages(std::byte* /*memory*/, std::size_t /*bytes*/) noexcept { return false; }

void LeaveOutOfCoreDumps(std::byte* /*memory*/, std::size_t /*bytes*/) noexcept {}

}  // namespace engine
