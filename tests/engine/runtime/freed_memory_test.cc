// ReturnFreedMemory: memory of small blocks between blocks that live goes back to the system.
#include "engine/runtime/freed_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/engine/harness.h"

namespace engine {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kBytes = 1000;  // of a block
constexpr std::size_t kBlocks = 64 * kMegabyte / kBytes;

using Blocks = std::vector<std::unique_ptr<char[]>>;

Blocks MakeBlocks() {
  Blocks blocks(kBlocks);
  for (auto& block : blocks) {
    block = std::make_unique_for_overwrite<char[]>(kBytes);
    std::memset(block.get(), 1, kBytes);
  }
  return blocks;
}

// One of 64 lives, the last one too.
void FreeMost(Blocks& blocks) {
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (i % 64 != 63) blocks[i] = nullptr;
  }
}

TEST(FreedMemory, BlocksThatLiveAreAsBefore) {
  Blocks blocks = MakeBlocks();
  FreeMost(blocks);
  ReturnFreedMemory();
  std::size_t live = 0;
  for (const auto& block : blocks) {
    if (block == nullptr) continue;
    ++live;
    EXPECT_EQ(std::count(block.get(), block.get() + kBytes, 1), std::ptrdiff_t{kBytes});
  }
  EXPECT_EQ(live, kBlocks / 64);
}

// Other C libraries give it back when it is freed, or never; sanitizers keep freed memory.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

std::size_t ResidentBytes() {
  unsigned long total = 0;
  unsigned long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  EXPECT_TRUE(file != nullptr);
  EXPECT_EQ(std::fscanf(file, "%lu %lu", &total, &resident), 2);
  std::fclose(file);
  return resident * 4096;
}

TEST(FreedMemory, BetweenBlocksThatLiveGoesBack) {
  Blocks blocks = MakeBlocks();
  FreeMost(blocks);
  const std::size_t before = ResidentBytes();
  EXPECT_GT(before, 60 * kMegabyte);  // the C library has kept it
  ReturnFreedMemory();
  EXPECT_LT(ResidentBytes(), before - 40 * kMegabyte);
}

#endif

}  // namespace
}  // namespace engine
