// Pictures of boards, pixel by pixel: tiles, their lines, objects on tiles, and the size of tiles.
#include "engine/envs/toy_text/board_picture.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::toy_text::testing {
namespace board_picture_test {

constexpr Rgb kRed{200, 10, 20};

std::vector<std::uint8_t> Pixels(const RenderSpec& spec) {
  return std::vector<std::uint8_t>(spec.bytes(), 99);
}

// The number of pixels with the colour, and of all other pixels.
struct Count {
  std::int64_t same = 0;
  std::int64_t other = 0;
};

Count CountOf(const std::vector<std::uint8_t>& rgb, Rgb colour) {
  Count count;
  for (std::size_t at = 0; at < rgb.size(); at += 3) {
    const bool same =
        rgb[at] == colour.red && rgb[at + 1] == colour.green && rgb[at + 2] == colour.blue;
    ++(same ? count.same : count.other);
  }
  return count;
}

TEST(BoardPicture, SizesOfTilesFollowTheBoard) {
  const auto side = [](std::int64_t rows, std::int64_t columns) {
    const RenderSpec spec = BoardPicture(rows, columns).spec();
    EXPECT_EQ(spec.height % rows, 0);
    EXPECT_EQ(spec.width, spec.height / rows * columns);
    return spec.height / rows;
  };
  EXPECT_EQ(side(1, 1), 32);
  EXPECT_EQ(side(10, 5), 32);
  EXPECT_EQ(side(16, 3), 32);
  EXPECT_EQ(side(5, 17), 30);
  EXPECT_EQ(side(512, 2), 1);
  EXPECT_EQ(side(4096, 4096), 1);
}

TEST(BoardPicture, ATileLeavesTheLinesAboveAndLeft) {
  const BoardPicture picture(3, 4);
  std::vector<std::uint8_t> rgb = Pixels(picture.spec());
  picture.Clear(rgb);
  EXPECT_EQ(CountOf(rgb, BoardPicture::kLine).other, 0);
  picture.Tile(rgb, 2, 1, kRed);
  EXPECT_EQ(CountOf(rgb, kRed).same, 31 * 31);
  EXPECT_EQ(CountOf(rgb, BoardPicture::kLine).same, 96 * 128 - 31 * 31);
  const auto green_at = [&](std::size_t y, std::size_t x) { return rgb[(y * 128 + x) * 3 + 1]; };
  EXPECT_EQ(green_at(65, 33), kRed.green);
  EXPECT_EQ(green_at(95, 63), kRed.green);
  EXPECT_EQ(green_at(64, 33), BoardPicture::kLine.green);
  EXPECT_EQ(green_at(65, 32), BoardPicture::kLine.green);
  EXPECT_EQ(green_at(65, 64), BoardPicture::kLine.green);
}

TEST(BoardPicture, APieceLiesInTheMiddleOfATile) {
  const BoardPicture picture(1, 2);
  std::vector<std::uint8_t> rgb = Pixels(picture.spec());
  picture.Clear(rgb);
  picture.Piece(rgb, 0, 1, kRed);
  EXPECT_EQ(CountOf(rgb, kRed).same, 16 * 16);
  EXPECT_EQ(rgb[(8 * 64 + 40) * 3 + 1], kRed.green);
  EXPECT_EQ(rgb[(8 * 64 + 39) * 3 + 1], BoardPicture::kLine.green);
}

TEST(BoardPicture, TilesOfOnePixelAreFilled) {
  const BoardPicture picture(600, 2);
  std::vector<std::uint8_t> rgb = Pixels(picture.spec());
  picture.Clear(rgb);
  picture.Tile(rgb, 599, 1, kRed);
  picture.Piece(rgb, 0, 0, kRed);
  EXPECT_EQ(CountOf(rgb, kRed).same, 2);
  EXPECT_EQ(rgb.front(), kRed.red);
  EXPECT_EQ(rgb.back(), kRed.blue);
}

}  // namespace board_picture_test
}  // namespace engine::toy_text::testing
