// Blocks of shared memory: other processes can map them, they are reused, and they outlive the
// arena's owner.
#include "engine/processes/shared_arena.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include "engine/base/error.h"
#include "engine/processes/worker_process.h"
#include "tests/engine/harness.h"
#include "tests/engine/os_layer.h"
#include "tests/engine/support/emulated.h"

namespace engine::testing {
namespace shared_arena_test {

const std::size_t kBytes = 64 * PageBytes();

struct Releases {
  void operator()(SharedArena* arena) const { arena->Release(); }
};
using Owned = std::unique_ptr<SharedArena, Releases>;

Owned MakeArena(std::size_t reserved = 100, std::size_t end_of_blocks = kBytes) {
  return Owned(
      SharedArena::Create({.reserved = reserved, .end_of_blocks = end_of_blocks, .bytes = kBytes}));
}

// Runs a function in a forked process. Returns the exit status.
template <class Function>
int InChild(Function&& function) {
  const pid_t process = fork();
  if (process == 0) _exit(function());
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SharedArena, BlocksAreDisjointAndBetweenTheOwnersParts) {
  const Owned arena = MakeArena(PageBytes() + 1, 6 * PageBytes());
  std::byte* const first = arena->Allocate(1);
  std::byte* const second = arena->Allocate(PageBytes() + 1);
  std::byte* const third = arena->Allocate(PageBytes());
  EXPECT_EQ(arena->OffsetOf(first), 2 * PageBytes());
  EXPECT_EQ(arena->OffsetOf(second), 3 * PageBytes());
  EXPECT_EQ(arena->OffsetOf(third), 5 * PageBytes());
  EXPECT_THROW(arena->Allocate(1), std::bad_alloc);
  arena->Free(first, 1);
  arena->Free(second, PageBytes() + 1);
  arena->Free(third, PageBytes());
}

TEST(SharedArena, AFreedBlockIsReusedForItsSize) {
  const Owned arena = MakeArena();
  std::byte* const block = arena->Allocate(2 * PageBytes());
  std::memset(block, 0x55, 2 * PageBytes());
  arena->Free(block, 2 * PageBytes());
  std::byte* const smaller = arena->Allocate(PageBytes());
  EXPECT_NE(smaller, block);
  std::byte* const again = arena->Allocate(PageBytes() + 1);
  ASSERT_EQ(again, block);
#if ENGINE_OS_IS_LINUX  // its pages were freed
  const std::byte expected = Emulated() ? std::byte{0x55} : std::byte{0};
  EXPECT_EQ(std::vector<std::byte>(again, again + 2 * PageBytes()),
            std::vector<std::byte>(2 * PageBytes(), expected));
#endif
  arena->Free(again, PageBytes() + 1);
  arena->Free(smaller, PageBytes());
}

TEST(SharedArena, OtherProcessesMapTheSameMemory) {
  const Owned arena = MakeArena();
  std::byte* const block = arena->Allocate(PageBytes());
  block[0] = std::byte{1};
  const std::size_t offset = arena->OffsetOf(block);
  EXPECT_EQ(InChild([&] {
              const int fd = dup(arena->fd());
              const std::unique_ptr<SharedMapping> mapping = MapWhole(fd);
              if (mapping->bytes() != kBytes || mapping->base() == arena->base()) return 1;
              if (close(fd) == 0) return 2;  // MapWhole() has closed it
              if (mapping->base()[offset] != std::byte{1}) return 3;
              mapping->base()[offset + 1] = std::byte{2};
              return 0;
            }),
            0);
  EXPECT_EQ(block[1], std::byte{2});
  arena->Free(block, PageBytes());
}

TEST(SharedArena, AForkedChildFreesNothing) {
  const Owned arena = MakeArena();
  std::byte* const block = arena->Allocate(PageBytes());
  block[0] = std::byte{1};
  EXPECT_EQ(InChild([&] {
              arena->Free(block, PageBytes());
              return 0;
            }),
            0);
  EXPECT_EQ(block[0], std::byte{1});
  arena->Free(block, PageBytes());
}

TEST(SharedArena, BlocksOutliveTheOwner) {
  SharedArena* const arena =
      SharedArena::Create({.reserved = 1, .end_of_blocks = kBytes, .bytes = kBytes});
  const int fd = arena->fd();
  std::byte* const block = arena->Allocate(PageBytes());
  arena->Release();
  block[0] = std::byte{1};
  EXPECT_EQ(block[0], std::byte{1});
  EXPECT_EQ(lseek(fd, 0, SEEK_END), static_cast<off_t>(kBytes));
  arena->Free(block, PageBytes());  // the last block: frees the arena
  EXPECT_EQ(lseek(fd, 0, SEEK_END), static_cast<off_t>(-1));
}

TEST(SharedArena, ALimitOfFilesIsKept) {
  EXPECT_EQ(InChild([] {
              const rlimit limit{.rlim_cur = 5 << 20, .rlim_max = RLIM_INFINITY};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              return SharedArena::MaxBytes() == 4 << 20 ? 0 : 2;
            }),
            0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these need many addresses
TEST(SharedArena, UnderALimitOfAddressesMostOfThemAreLeft) {
  EXPECT_EQ(InChild([] {
              std::size_t pages = 0;  // those that this process has
              std::ifstream("/proc/self/statm") >> pages;
              constexpr std::size_t kLeft = std::size_t{1} << 30;
              const rlimit limit{.rlim_cur = pages * PageBytes() + kLeft,
                                 .rlim_max = RLIM_INFINITY};
              if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
              const std::size_t bytes = SharedArena::MaxBytes();
              return Emulated() || (bytes >= kLeft / 16 && bytes <= kLeft / 4) ? 0 : 2;
            }),
            0);
}
#endif

TEST(SharedArena, AMappingThatIsRefusedIsAnError) {
  EXPECT_THROW_MESSAGE(SharedMapping(-1, PageBytes()), Error,
                       "refused a mapping of " + std::to_string(PageBytes()) + " bytes");
}

}  // namespace shared_arena_test
}  // namespace engine::testing
