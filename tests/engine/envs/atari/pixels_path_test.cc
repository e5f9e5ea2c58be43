// Properties of the pixel path that the Python tests cannot check: memory accesses, allocations,
// equal results of all passes, and sharing between threads. The Python tests compare its frames
// with OpenCV's.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/palette.h"
#include "engine/envs/atari/pixels/pixel_path.h"
#include "tests/engine/harness.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1

namespace {
std::atomic<std::uint64_t> allocations{0};
}  // namespace

// operator new calls malloc or aligned_alloc, and its library finds these only if they are visible.
#pragma GCC visibility push(default)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}  // extern "C"
#pragma GCC visibility pop
#endif

namespace engine::atari::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr VectorUnit kUnits[] = {VectorUnit::kPortable, VectorUnit::kVectors};

std::size_t PictureSize(int lines) { return static_cast<std::size_t>(lines) * atari2600::kWidth; }

// Rows of noise. Some pixels have an odd color number (no color), and some rows repeat the row
// above.
Bytes RandomPicture(std::mt19937& random, int lines) {
  Bytes picture(PictureSize(lines));
  for (std::size_t i = 0; i < picture.size(); ++i) {
    picture[i] = static_cast<std::uint8_t>(random() & (random() % 64 == 0 ? 0xFF : 0xFE));
  }
  for (int line = 1; line < lines; ++line) {
    if (random() % 2 == 0) continue;
    std::memcpy(&picture[PictureSize(line)], &picture[PictureSize(line - 1)], atari2600::kWidth);
  }
  return picture;
}

PixelOptions RandomOptions(std::mt19937& random) {
  const auto upto = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  const int sides[] = {84, 84, 160, 210, upto(160), upto(300), upto(PixelPath::kMaxSide)};
  return {.lines = random() % 2 == 0 ? 210 : upto(PixelPath::kMaxLines),
          .format = random() % 2 == 0 ? TvFormat::kNtsc : TvFormat::kPal,
          .grey = random() % 2 == 0,
          .height = sides[random() % 7],
          .width = sides[random() % 7],
          .interpolation = random() % 3 == 0 ? Interpolation::kLinear : Interpolation::kArea,
          .order = random() % 2 == 0 ? ChannelOrder::kPlanar : ChannelOrder::kInterleaved};
}

std::string Describe(const PixelOptions& options) {
  return std::to_string(options.lines) + " lines to " + std::to_string(options.height) + " x " +
         std::to_string(options.width) + (options.grey ? " grey" : " color") +
         (options.interpolation == Interpolation::kArea ? " area" : " linear");
}

// Memory between two pages that must not be accessed.
class Guarded {
 public:
  enum class Side : std::uint8_t { kFirst, kLast };  // the end that is next to an inaccessible page

  Guarded(std::size_t size, Side side)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        inner_((size + page_ - 1) / page_ * page_),
        memory_(static_cast<std::uint8_t*>(
            mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    ASSERT_TRUE(memory_ != MAP_FAILED);
    ASSERT_EQ(mprotect(memory_ + page_, inner_, PROT_READ | PROT_WRITE), 0);
    data_ = memory_ + page_ + (side == Side::kFirst ? 0 : inner_ - size);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(memory_, inner_ + 2 * page_); }

  std::uint8_t* data() const { return data_; }

 private:
  std::size_t page_;
  std::size_t inner_;
  std::uint8_t* memory_;
  std::uint8_t* data_;
};

TEST(PixelPath, PassesAgreeAndStayWithinTheirMemory) {
  std::mt19937 random(1);
  for (int i = 0; i < 150; ++i) {
    const PixelOptions options = RandomOptions(random);
    const Bytes newest = RandomPicture(random, options.lines);
    const Bytes before = RandomPicture(random, options.lines);
    Bytes expected;
    for (const VectorUnit unit : kUnits) {
      if (!Supports(unit)) continue;
      const PixelPath path(options, unit);
      for (const auto side : {Guarded::Side::kFirst, Guarded::Side::kLast}) {
        const Guarded first(newest.size(), side);
        const Guarded second(before.size(), side);
        const Guarded out(path.frame_bytes(), side);
        std::memcpy(first.data(), newest.data(), newest.size());
        std::memcpy(second.data(), before.data(), before.size());
        path.Run(first.data(), second.data(), out.data());
        const Bytes frame(out.data(), out.data() + path.frame_bytes());
        if (expected.empty()) expected = frame;
        EXPECT_TRUE(frame == expected) << Describe(options) << ", unit " << static_cast<int>(unit);
      }
    }
  }
}

TEST(PixelPath, WritesAFrameAndNothingElse) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const PixelOptions options = RandomOptions(random);
    const Bytes newest = RandomPicture(random, options.lines);
    for (const VectorUnit unit : kUnits) {
      const PixelPath path(options, unit);
      constexpr std::size_t kMargin = 256;
      for (const int fill : {0x00, 0xFF}) {
        Bytes out(path.frame_bytes() + 2 * kMargin, static_cast<std::uint8_t>(fill));
        path.Run(newest.data(), nullptr, out.data() + kMargin);
        std::size_t outside = 0;
        for (std::size_t at = 0; at < kMargin; ++at) {
          outside += out[at] != fill;
          outside += out[out.size() - 1 - at] != fill;
        }
        EXPECT_EQ(outside, 0u) << Describe(options);
        // The frame is the same for both fills, so every byte of it is written.
        static Bytes with_zeros;
        const Bytes frame(out.begin() + kMargin, out.end() - kMargin);
        if (fill == 0) with_zeros = frame;
        EXPECT_TRUE(frame == with_zeros) << Describe(options);
      }
    }
  }
}

TEST(PixelPath, APictureWithItselfIsThePicture) {
  std::mt19937 random(3);
  for (const VectorUnit unit : kUnits) {
    for (int i = 0; i < 30; ++i) {
      const PixelPath path(RandomOptions(random), unit);
      const Bytes picture = RandomPicture(random, path.options().lines);
      Bytes alone(path.frame_bytes());
      Bytes twice(path.frame_bytes());
      path.Run(picture.data(), nullptr, alone.data());
      path.Run(picture.data(), picture.data(), twice.data());
      EXPECT_TRUE(alone == twice) << Describe(path.options());
    }
  }
}

TEST(PixelPath, ThreadsShareOne) {
  std::mt19937 random(4);
  const PixelPath small({.height = 20, .width = 20});
  const PixelPath large({.grey = false, .height = 300, .width = 400});
  const Bytes picture = RandomPicture(random, 210);
  const auto frames = [&] {
    Bytes frame(small.frame_bytes() + large.frame_bytes());
    small.Run(picture.data(), nullptr, frame.data());
    large.Run(picture.data(), nullptr, frame.data() + small.frame_bytes());
    return frame;
  };
  const Bytes expected = frames();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) wrong += frames() != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

#ifdef COUNTS_ALLOCATIONS
TEST(PixelPath, AllocatesForTheFirstFrameOnly) {
  std::mt19937 random(5);
  const Bytes picture = RandomPicture(random, 210);
  for (const bool grey : {true, false}) {
    for (const auto interpolation : {Interpolation::kArea, Interpolation::kLinear}) {
      const PixelPath path({.grey = grey, .interpolation = interpolation});
      Bytes frame(path.frame_bytes());
      path.Run(picture.data(), nullptr, frame.data());
      const std::uint64_t before = allocations.load();
      for (int i = 0; i < 10; ++i) path.Run(picture.data(), picture.data(), frame.data());
      EXPECT_EQ(allocations.load() - before, 0u);
    }
  }
  // Checks that the counter works.
  const std::uint64_t before = allocations.load();
  const PixelPath path(PixelOptions{});
  EXPECT_LT(before, allocations.load());
}
#endif

TEST(PixelPath, RefusesSizesOutOfRange) {
  EXPECT_THROW_MESSAGE(PixelPath({.lines = 0}), Error,
                       "lines: expected an integer in [1, 300], got 0");
  EXPECT_THROW_MESSAGE(PixelPath({.lines = 301}), Error, "got 301");
  EXPECT_THROW_MESSAGE(PixelPath({.height = 0}), Error, "height: expected an integer in [1, 1024]");
  EXPECT_THROW_MESSAGE(PixelPath({.height = 1025}), Error, "got 1025");
  EXPECT_THROW_MESSAGE(PixelPath({.width = -1}), Error, "width: expected an integer in [1, 1024]");
  EXPECT_THROW_MESSAGE(PixelPath({.width = 1025}), Error, "got 1025");
}

TEST(Palette, NothingIsWrittenForNoPixels) {
  ToRgb({}, TvFormat::kNtsc, nullptr);
  ToGrey({}, TvFormat::kPal, nullptr);
  // Black and the lightest grey of both television standards.
  const std::uint8_t pixels[] = {0x00, 0x0E};
  for (const TvFormat format : {TvFormat::kNtsc, TvFormat::kPal}) {
    std::uint8_t rgb[6];
    std::uint8_t grey[2];
    ToRgb(pixels, format, rgb);
    ToGrey(pixels, format, grey);
    EXPECT_EQ(rgb[0], 0);
    EXPECT_EQ(rgb[3], rgb[5]);
    EXPECT_EQ(grey[0], 0);
    EXPECT_EQ(grey[1], rgb[4]);
  }
}

}  // namespace
}  // namespace engine::atari::testing
