#include "engine/processes/shared_arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "engine/base/error.h"
#include "engine/base/os/memory_file.h"

namespace engine {
namespace {

[[noreturn]] void ThrowRefused(const char* what, std::size_t bytes) {
  throw Error(ErrorKind::kMemory, std::string("shared memory: the system refused ") + what +
                                      " of " + std::to_string(bytes) +
                                      " bytes: " + std::strerror(errno));
}

int MakeFile(std::size_t bytes) {
  int fd = MakeMemoryFile();
  if (fd >= 0 && fd <= 2) {
    // What is printed would be written to the file. The descriptors below it stay closed.
    const int standard = fd;
    fd = fcntl(standard, F_DUPFD_CLOEXEC, 3);
    close(standard);
  }
  if (fd < 0) ThrowRefused("a file", bytes);
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    ThrowRefused("a file", bytes);
  }
  return fd;
}

}  // namespace

std::size_t PageBytes() {
  static const auto bytes = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 1L));
  return bytes;
}

std::size_t RoundUpToPage(std::size_t bytes) {
  return (bytes + PageBytes() - 1) / PageBytes() * PageBytes();
}

std::size_t WrittenBytes(int fd, std::size_t offset, std::size_t bytes) noexcept {
#if defined(SEEK_HOLE)
  const off_t hole = lseek(fd, static_cast<off_t>(offset), SEEK_HOLE);
  if (hole >= 0) return std::min(bytes, static_cast<std::size_t>(hole) - offset);
#else
  static_cast<void>(fd);
  static_cast<void>(offset);
#endif
  return bytes;
}

SharedMapping::SharedMapping(int fd, std::size_t bytes) : bytes_(bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) ThrowRefused("a mapping", bytes);
  base_ = static_cast<std::byte*>(memory);
  LeaveOutOfCoreDumps(base_, bytes);  // one would include the unused pages
}

SharedMapping::~SharedMapping() { munmap(base_, bytes_); }

std::size_t SharedArena::MaxBytes() {
  constexpr std::size_t kTimesMemory = 4;
  constexpr std::size_t kMax = std::size_t{1} << 42;
  constexpr std::size_t kLeastProbed = std::size_t{1} << 24;
  const auto pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
  std::size_t bytes = std::min(std::bit_ceil(pages * PageBytes()) * kTimesMemory, kMax);
  rlimit of_files{};
  if (getrlimit(RLIMIT_FSIZE, &of_files) == 0 && of_files.rlim_cur < bytes) {
    bytes = std::bit_floor(static_cast<std::size_t>(of_files.rlim_cur));
  }
  // The addresses may be limited too (RLIMIT_AS). The program needs most of those that are left.
  const std::size_t wanted = bytes;
  for (; bytes > kLeastProbed; bytes /= 2) {
    void* const probe =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED) continue;
    munmap(probe, bytes);
    break;
  }
  return bytes < wanted ? bytes / 4 : bytes;
}

SharedArena* SharedArena::Create(const Layout& layout) {
  const int fd = MakeFile(layout.bytes);
  try {
    return new SharedArena(fd, layout);
  } catch (...) {
    close(fd);
    throw;
  }
}

SharedArena::SharedArena(int fd, const Layout& layout)
    : fd_(fd),
      mapping_(fd, layout.bytes),
      end_of_blocks_(layout.end_of_blocks),
      end_(RoundUpToPage(layout.reserved)) {}

SharedArena::~SharedArena() { close(fd_); }

void SharedArena::Release() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

std::byte* SharedArena::Allocate(std::size_t bytes) {
  const std::size_t size = RoundUpToPage(bytes);
  std::size_t offset = 0;
  {
    const ScopedLock lock(mutex_);
    std::vector<std::size_t>& free = free_[size];
    if (!free.empty()) {
      offset = free.back();
      free.pop_back();
    } else {
      if (end_ + size > end_of_blocks_) throw std::bad_alloc();
      offset = end_;
      end_ += size;
    }
  }
  users_.fetch_add(1, std::memory_order_relaxed);
  return base() + offset;
}

void SharedArena::Free(std::byte* memory, std::size_t bytes) noexcept {
  if (fork_guard_.InChild()) return;
  const std::size_t size = RoundUpToPage(bytes);
  FreePages(memory, size);
  {
    const ScopedLock lock(mutex_);
    try {
      free_[size].push_back(OffsetOf(memory));
    } catch (const std::bad_alloc&) {
      // The range of addresses is not used again, but its memory is freed.
    }
  }
  Release();
}

}  // namespace engine
