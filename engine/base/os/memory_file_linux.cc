// memory_file.h with Linux' memfd_create and madvise.
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/os/memory_file.h"

namespace engine {
namespace {

// Whether madvise says that it has freed pages and has not, as it does in a program for another
// processor that QEMU runs. False if this cannot be tried.
bool OnlySaysThatPagesAreFreed() noexcept {
  const int fd = MakeMemoryFile();
  if (fd < 0) return false;
  bool only_says = false;
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
    void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
      auto& first = *static_cast<volatile std::byte*>(page);
      first = std::byte{1};
      only_says = madvise(page, bytes, MADV_REMOVE) == 0 && first != std::byte{0};
      munmap(page, bytes);
    }
  }
  close(fd);
  return only_says;
}

}  // namespace

int MakeMemoryFile() { return memfd_create("envpool_py", MFD_CLOEXEC); }

bool FreePages(std::byte* memory, std::size_t bytes) noexcept {
  static const bool only_says = OnlySaysThatPagesAreFreed();
  return !only_says && madvise(memory, bytes, MADV_REMOVE) == 0;
}

void LeaveOutOfCoreDumps(std::byte* memory, std::size_t bytes) noexcept {
  madvise(memory, bytes, MADV_DONTDUMP);
}

}  // namespace engine
