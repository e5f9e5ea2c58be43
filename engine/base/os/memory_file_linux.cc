// memory_file.h with Linux' memfd_create and madvise.
#include <sys/mman.h>

#include "engine/base/os/memory_file.h"

namespace engine {

int MakeMemoryFile() { return memfd_create("envpool_py", MFD_CLOEXEC); }

bool FreePages(std::byte* memory, std::size_t bytes) noexcept {
  return madvise(memory, bytes, MADV_REMOVE) == 0;
}

void LeaveOutOfCoreDumps(std::byte* memory, std::size_t bytes) noexcept {
  madvise(memory, bytes, MADV_DONTDUMP);
}

}  // namespace engine
