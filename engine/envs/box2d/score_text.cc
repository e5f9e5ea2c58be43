#include <cstdio>
#include <string_view>

#include "engine/envs/box2d/score_font.h"

namespace engine::box2d {
namespace {

int HexDigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::size_t GlyphOf(char c) { return c == '-' ? 0 : static_cast<std::size_t>(c - '0') + 1; }

// Calls visit(glyph, x) for each character; returns the width of the text.
template <class Visit>
int LayOut(std::string_view text, Visit&& visit) {
  int at = 0;  // 1/64 pixel
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t glyph = GlyphOf(text[i]);
    if (i > 0) at += kScoreFont[GlyphOf(text[i - 1])].kerning[glyph];
    visit(kScoreFont[glyph], at >> 6);
    width = (at >> 6) + kScoreFont[glyph].width;
    at += 64 * kScoreFont[glyph].width;
  }
  return width;
}

}  // namespace

void DrawScore(double score, int x, int y, PixelSurface& surface, std::uint8_t black) {
  std::array<char, 512> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), "%04.0f", score);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(length));
  const int width = LayOut(text, [](const ScoreGlyph&, int) {});
  const int left = x - width / 2;
  const int top = y - kScoreHeight / 2;
  const std::array<Pixel, 4> box{{{left, top},
                                  {left + width - 1, top},
                                  {left + width - 1, top + kScoreHeight - 1},
                                  {left, top + kScoreHeight - 1}}};
  surface.DrawPolygon(box, black);
  LayOut(text, [&](const ScoreGlyph& glyph, int offset) {
    const char* digits = glyph.rows;
    for (int row = 0; row < kScoreRows; ++row) {
      for (int column = 0; column < glyph.width; ++column, digits += 2) {
        const int coverage = 16 * HexDigit(digits[0]) + HexDigit(digits[1]);
        const auto grey = static_cast<std::uint8_t>(coverage);
        if (grey != 0) {
          surface.AddPixel(left + offset + column, top + kScoreFirstRow + row, {grey, grey, grey});
        }
      }
    }
  });
}

}  // namespace engine::box2d
