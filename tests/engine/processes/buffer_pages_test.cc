// The pages that a large object has touched go back to the system once later objects are small.
#include "engine/processes/buffer_pages.h"

#include <sys/stat.h>

#include <cstring>

#include "tests/engine/harness.h"
#include "tests/engine/support/emulated.h"

namespace engine::testing {
namespace buffer_pages_test {

const std::size_t kBytes = 1024 * PageBytes();

class Buffer {
 public:
  Buffer() : arena_(SharedArena::Create({.end_of_blocks = kBytes, .bytes = kBytes})) {}
  ~Buffer() { arena_->Release(); }

  // Writes an object `times` times.
  void Write(std::size_t bytes, int times = 1) {
    for (int i = 0; i < times; ++i) {
      pages_.Use(arena_->base(), bytes);
      std::memset(arena_->base(), 0x55, bytes);
    }
  }
  // The number of pages that take memory.
  std::size_t pages() const {
    struct stat status{};
    fstat(arena_->fd(), &status);
    return static_cast<std::size_t>(status.st_blocks) * 512 / PageBytes();
  }
  const std::byte* base() const { return arena_->base(); }

 private:
  SharedArena* const arena_;
  BufferPages pages_;
};

TEST(BufferPages, OneLargeObjectIsFreedWhenLaterOnesAreSmall) {
  Buffer buffer;
  buffer.Write(900 * PageBytes());
  buffer.Write(10, 15);
  EXPECT_EQ(buffer.pages(), 900U);
  buffer.Write(10);
  EXPECT_EQ(buffer.pages(), Emulated() ? 900U : 1U);
  EXPECT_EQ(buffer.base()[9], std::byte{0x55});
}

TEST(BufferPages, PagesThatAreNeededNowAndThenStay) {
  Buffer buffer;
  for (int round = 0; round < 5; ++round) {
    buffer.Write(900 * PageBytes());
    buffer.Write(10, 15);
    EXPECT_EQ(buffer.pages(), 900U);
  }
}

TEST(BufferPages, AnObjectOfMiddleSizeKeepsItsOwnPages) {
  Buffer buffer;
  buffer.Write(900 * PageBytes());
  buffer.Write(100 * PageBytes() + 1, 20);
  EXPECT_EQ(buffer.pages(), Emulated() ? 900U : 101U);
  buffer.Write(0, 16);
  EXPECT_EQ(buffer.pages(), Emulated() ? 900U : 0U);
}

TEST(BufferPages, SmallObjectsKeepTheirPages) {
  Buffer buffer;
  buffer.Write(16 * PageBytes());
  buffer.Write(0, 100);
  EXPECT_EQ(buffer.pages(), 16U);
}

}  // namespace buffer_pages_test
}  // namespace engine::testing
