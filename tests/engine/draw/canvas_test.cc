// Which pixels each shape covers, also beyond the edges of the picture.
#include "engine/draw/canvas.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace canvas_test {

constexpr Colour kInk{200, 100, 50};

// A picture of `height` x `width`. Its text has "#" at the pixels with the ink's color.
struct Sheet {
  Sheet(std::int64_t h, std::int64_t w)
      : picture{.height = h, .width = w}, rgb(picture.bytes()), canvas(rgb, picture) {}

  std::string Text() const {
    std::string text;
    for (std::int64_t y = 0; y < picture.height; ++y) {
      for (std::int64_t x = 0; x < picture.width; ++x) {
        const std::uint8_t* const at = rgb.data() + (y * picture.width + x) * 3;
        text += Colour{at[0], at[1], at[2]} == kInk ? '#' : '.';
      }
      text += '\n';
    }
    return text;
  }

  RenderSpec picture;
  std::vector<std::uint8_t> rgb;
  Canvas canvas;
};

TEST(Canvas, FillsRectangles) {
  Sheet sheet(3, 5);
  sheet.canvas.FillRect(1, 1, 3, 9, kInk);
  EXPECT_EQ(sheet.Text(), ".....\n.##..\n.##..\n");
  sheet.canvas.FillRect(-4, -4, 1, 1, kInk);
  sheet.canvas.FillRect(4, 0, 2, 3, kInk);  // an empty rectangle
  EXPECT_EQ(sheet.Text(), "#....\n.##..\n.##..\n");
  sheet.canvas.Clear(kInk);
  EXPECT_EQ(sheet.Text(), "#####\n#####\n#####\n");
}

TEST(Canvas, DrawsLinesInEachDirection) {
  Sheet sheet(4, 6);
  sheet.canvas.Line({0.5, 0.5}, {5.5, 3.5}, kInk);
  const std::string there = sheet.Text();
  EXPECT_EQ(there, "#.....\n.##...\n...##.\n.....#\n");
  Sheet back(4, 6);
  back.canvas.Line({5.5, 3.5}, {0.5, 0.5}, kInk);
  EXPECT_EQ(back.Text(), there);
  Sheet steep(4, 3);
  steep.canvas.Line({1.5, -1e300}, {1.5, 1e300}, kInk);
  EXPECT_EQ(steep.Text(), ".#.\n.#.\n.#.\n.#.\n");
  Sheet dot(2, 2);
  dot.canvas.Line({1.5, 0.5}, {1.5, 0.5}, kInk);
  EXPECT_EQ(dot.Text(), ".#\n..\n");
  Sheet thick(4, 4);
  thick.canvas.Line({0.0, 2.0}, {4.0, 2.0}, kInk, 2.0);
  EXPECT_EQ(thick.Text(), "....\n####\n####\n....\n");
}

TEST(Canvas, FillsCirclesAndRings) {
  Sheet sheet(5, 5);
  sheet.canvas.FillCircle(2.5, 2.5, 2.0, kInk);
  EXPECT_EQ(sheet.Text(), ".....\n.###.\n####.\n.###.\n.....\n");  // the upper bounds are exclusive
  Sheet ring(5, 5);
  ring.canvas.Circle(2.5, 2.5, 2.0, kInk);
  EXPECT_EQ(ring.Text(), ".###.\n#...#\n#...#\n#...#\n.###.\n");
  ring.canvas.FillCircle(1e12, 0.0, 5.0, kInk);
  ring.canvas.FillCircle(2.5, 2.5, 0.0, kInk);
  EXPECT_EQ(ring.Text(), ".###.\n#...#\n#...#\n#...#\n.###.\n");
}

TEST(Canvas, FillsPolygons) {
  Sheet sheet(4, 6);
  const Point triangle[] = {{0.0, 0.0}, {6.0, 0.0}, {0.0, 4.0}};
  sheet.canvas.FillPolygon(triangle, kInk);
  EXPECT_EQ(sheet.Text(), "#####.\n####..\n##....\n#.....\n");
  Sheet none(2, 2);
  const Point bad[] = {{0.0, 0.0}, {std::numeric_limits<double>::quiet_NaN(), 0.0}, {2.0, 2.0}};
  none.canvas.FillPolygon(bad, kInk);
  none.canvas.FillPolygon({}, kInk);
  EXPECT_EQ(none.Text(), "..\n..\n");
}

TEST(Canvas, CopiesImages) {
  Sheet sheet(2, 4);
  const std::vector<std::uint8_t> image = {200, 100, 50, 1, 2, 3, 200, 100, 50, 200, 100, 50};
  const Colour transparent{1, 2, 3};
  sheet.canvas.Clear({9, 9, 9});
  sheet.canvas.Blit(image, 2, 3, 0, &transparent);
  EXPECT_EQ(sheet.Text(), "...#\n...#\n");
  sheet.canvas.Blit(image, 2, -1, 1);
  EXPECT_EQ(sheet.Text(), "...#\n...#\n");
  EXPECT_THROW(sheet.canvas.Blit(image, 5, 0, 0), Error);
}

TEST(Canvas, WritesTexts) {
  Sheet sheet(12, 8);
  sheet.canvas.Text(0, 0, "7a\n-", kInk);
  EXPECT_EQ(sheet.Text(),
            "###..#..\n..#.#.#.\n..#.###.\n.#..#.#.\n.#..#.#.\n........\n"
            "........\n........\n###.....\n........\n........\n........\n");
}

TEST(Canvas, ChecksTheSize) {
  std::vector<std::uint8_t> rgb(10);
  EXPECT_THROW(Canvas(rgb, {.height = 2, .width = 2}), Error);
}

}  // namespace canvas_test
}  // namespace engine::testing
