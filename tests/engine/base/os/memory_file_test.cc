// Files in memory: processes share them, no other process finds them, and their pages can be freed.
#include "engine/base/os/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tests/engine/harness.h"
#include "tests/engine/os_layer.h"
#include "tests/engine/support/emulated.h"

namespace engine::testing {
namespace memory_file_test {

const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

// A file of two pages, mapped.
struct Mapped {
  Mapped() : fd(MakeMemoryFile()) {
    if (ftruncate(fd, static_cast<off_t>(2 * kPage)) != 0) return;
    void* const mapped = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) memory = static_cast<std::byte*>(mapped);
  }
  ~Mapped() {
    if (memory != nullptr) munmap(memory, 2 * kPage);
    close(fd);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  const int fd;
  std::byte* memory = nullptr;
};

TEST(MemoryFile, IsSharedWithAForkedProcess) {
  Mapped file;
  ASSERT_TRUE(file.memory != nullptr);
  const pid_t process = fork();
  if (process == 0) {
    file.memory[kPage] = std::byte{7};
    _exit(0);
  }
  waitpid(process, nullptr, 0);
  EXPECT_EQ(file.memory[kPage], std::byte{7});
}

TEST(MemoryFile, IsClosedAtExec) {
  Mapped file;
  EXPECT_NE(fcntl(file.fd, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(MemoryFile, HasNoName) {
  Mapped first;
  Mapped second;
  ASSERT_TRUE(first.memory != nullptr && second.memory != nullptr);
  first.memory[0] = std::byte{1};
  EXPECT_EQ(second.memory[0], std::byte{0});
  struct stat status{};
  ASSERT_EQ(fstat(first.fd, &status), 0);
  EXPECT_EQ(status.st_nlink, static_cast<nlink_t>(0));
}

#if !ENGINE_OS_IS_LINUX
TEST(MemoryFile, ANameThatIsLeftIsNotUsed) {
  // The names of the next files of this process, which a killed one with this id may have left.
  std::string left[200];
  for (int i = 0; i < 200; ++i) {
    left[i] = "/envpool_py-" + std::to_string(getpid()) + "-" + std::to_string(i);
    close(shm_open(left[i].c_str(), O_RDWR | O_CREAT, 0600));
  }
  Mapped file;
  EXPECT_TRUE(file.memory != nullptr);
  for (const std::string& name : left) {
    EXPECT_EQ(shm_unlink(name.c_str()), 0) << name;
  }
}

TEST(MemoryFile, RefusedFilesAreErrors) {
  const pid_t process = fork();
  if (process == 0) {
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    _exit(MakeMemoryFile() == -1 && errno == EMFILE ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

TEST(MemoryFile, FreedPagesAreZerosIfTheyAreFreed) {
  Mapped file;
  ASSERT_TRUE(file.memory != nullptr);
  for (const std::size_t at : {std::size_t{0}, kPage}) file.memory[at] = std::byte{9};
#if ENGINE_OS_IS_LINUX
  const bool frees = !Emulated();
#else
  const bool frees = false;
#endif
  EXPECT_EQ(FreePages(file.memory + kPage, kPage), frees);
  EXPECT_EQ(file.memory[0], std::byte{9});
  EXPECT_EQ(file.memory[kPage], frees ? std::byte{0} : std::byte{9});
}

}  // namespace memory_file_test
}  // namespace engine::testing
