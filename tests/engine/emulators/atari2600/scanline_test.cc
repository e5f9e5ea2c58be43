// Sets of pixels and the painting of rows, compared with loops over single pixels.
#include "engine/emulators/atari2600/scanline.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "engine/emulators/atari2600/paint_cells.h"
#include "engine/emulators/atari2600/picture.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace scanline_test {

// A row with a margin on either side that must not change.
class Row {
 public:
  explicit Row(std::mt19937& random) : bytes_(kMargin + 160 + kMargin) {
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random());
  }
  std::uint8_t* pixels() { return bytes_.data() + kMargin; }
  std::uint8_t& operator[](int x) { return pixels()[x]; }
  friend bool operator==(const Row& a, const Row& b) = default;

 private:
  static constexpr std::size_t kMargin = 32;

  std::vector<std::uint8_t> bytes_;
};

std::string Text(const Pixels& pixels) {
  std::string text;
  for (int x = 0; x < 192; ++x) text += (pixels.word[x / 64] >> (x % 64) & 1) != 0 ? 'X' : '.';
  return text;
}

Pixels Random(std::mt19937& random) {
  Pixels pixels;
  for (int x = 0; x < 160; ++x) {
    if (random() % 3 == 0) pixels.word[x / 64] |= std::uint64_t{1} << (x % 64);
  }
  return pixels;
}

// Every pair of ends.
TEST(Scanline, Between) {
  for (int from = 0; from <= 160; ++from) {
    for (int to = from; to <= 160; ++to) {
      std::string expected(192, '.');
      for (int x = from; x < to; ++x) expected[static_cast<std::size_t>(x)] = 'X';
      const Pixels pixels = Between(from, to);
      EXPECT_EQ(Text(pixels), expected) << from << " " << to;
      EXPECT_EQ(pixels.any(), from != to);
    }
  }
}

// Add() inserts a pattern, lowest bit first. It keeps the existing pixels and wraps at the line's
// end.
TEST(Scanline, AddGoesRoundTheEnd) {
  std::mt19937 random(1);
  for (int x = 0; x < 160; ++x) {
    for (int width = 1; width <= 32; ++width) {
      const auto full = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
      for (const std::uint32_t pattern :
           {full, static_cast<std::uint32_t>(random()) & full, std::uint32_t{1}}) {
        Pixels pixels = Random(random);
        std::string expected = Text(pixels);
        for (int i = 0; i < width; ++i) {
          if ((pattern >> i & 1) != 0) expected[static_cast<std::size_t>((x + i) % 160)] = 'X';
        }
        pixels.Add(pattern, width, x);
        EXPECT_EQ(Text(pixels), expected) << x << " " << width << " " << pattern;
      }
    }
  }
}

// Intersection, union and difference.
TEST(Scanline, SetOperations) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const Pixels a = Random(random);
    const Pixels b = Random(random);
    const std::string left = Text(a);
    const std::string right = Text(b);
    std::string both = left;
    std::string either = left;
    std::string without = left;
    for (std::size_t x = 0; x < 192; ++x) {
      both[x] = left[x] == 'X' && right[x] == 'X' ? 'X' : '.';
      either[x] = left[x] == 'X' || right[x] == 'X' ? 'X' : '.';
      without[x] = left[x] == 'X' && right[x] != 'X' ? 'X' : '.';
    }
    EXPECT_EQ(Text(a & b), both);
    EXPECT_EQ(Text(a | b), either);
    EXPECT_EQ(Text(a - b), without);
  }
  EXPECT_FALSE(Pixels{}.any());
}

// A cell is four pixels.
TEST(Scanline, FromCells) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t cells = (i < 40 ? std::uint64_t{1} << i : random()) & 0xFF'FFFF'FFFF;
    std::string expected(192, '.');
    for (std::size_t x = 0; x < 160; ++x) {
      if ((cells >> (x / 4) & 1) != 0) expected[x] = 'X';
    }
    EXPECT_EQ(Text(FromCells(cells)), expected) << i;
  }
}

// Only the pixels of the set change.
TEST(Scanline, PaintChangesTheSetAlone) {
  std::mt19937 random(4);
  for (int i = 0; i < 600; ++i) {
    Pixels pixels = Random(random);
    if (i < 160) {  // single pixels
      pixels = Pixels{};
      pixels.Add(1, 1, i);
    } else if (i == 160) {
      pixels = Between(0, 160);
    }
    Row row(random);
    Row expected = row;
    const auto color = static_cast<std::uint8_t>(random());
    for (int x = 0; x < 160; ++x) {
      if ((pixels.word[x / 64] >> (x % 64) & 1) != 0) expected[x] = color;
    }
    Paint(row.pixels(), pixels, color);
    EXPECT_TRUE(row == expected) << Text(pixels);
  }
}

// Every pair of ends. Pixels outside of them do not change.
TEST(Scanline, PaintCellsChangesItsPixelsAlone) {
  std::mt19937_64 random(5);
  std::mt19937 bytes(6);
  for (int from = 0; from < 160; ++from) {
    for (int to = from + 1; to <= 160; ++to) {
      const std::uint64_t cells = random() & 0xFF'FFFF'FFFF;
      const auto on = static_cast<std::uint8_t>(random());
      const auto off = static_cast<std::uint8_t>(random());
      Row row(bytes);
      Row expected = row;
      for (int x = from; x < to; ++x) expected[x] = (cells >> (x / 4) & 1) != 0 ? on : off;
      PaintCells(row.pixels(), from, to, cells, on, off);
      EXPECT_TRUE(row == expected) << from << " " << to;
    }
  }
}

// Swap() exchanges the two buffers, and a copy has both.
TEST(Picture, TwoBuffersTakeTurns) {
  Picture picture(3);
  EXPECT_EQ(picture.size(), 480);
  picture.Clear();
  std::memset(picture.Row(1), 7, 160);
  EXPECT_EQ(picture.pixels()[159], 0);
  EXPECT_EQ(picture.pixels()[160], 7);
  EXPECT_EQ(picture.pixels()[319], 7);
  EXPECT_EQ(picture.pixels()[320], 0);
  picture.Swap();
  EXPECT_EQ(picture.pixels()[160], 0);
  picture.Row(0)[0] = 9;
  Picture copy(3);
  copy.CopyFrom(picture);
  picture.Clear();
  EXPECT_EQ(copy.pixels()[0], 9);
  copy.Swap();
  EXPECT_EQ(copy.pixels()[160], 7);
}

}  // namespace scanline_test
}  // namespace engine::atari2600::testing
