// The font in which CarRacing's picture shows the score.
#ifndef ENGINE_ENVS_BOX2D_SCORE_FONT_H_
#define ENGINE_ENVS_BOX2D_SCORE_FONT_H_

#include <array>
#include <cstdint>

#include "engine/envs/box2d/pixel_surface.h"

namespace engine::box2d {

inline constexpr std::size_t kScoreGlyphs = 11;  // '-', then '0' to '9'
inline constexpr int kScoreHeight = 46;          // pixels, height of a line of text
inline constexpr int kScoreFirstRow = 3;         // row of the line at which ScoreGlyph::rows begins
inline constexpr int kScoreRows = 32;

struct ScoreGlyph {
  int width;                                       // pixels
  std::array<std::int16_t, kScoreGlyphs> kerning;  // added before the next glyph, 1/64 pixel
  const char* rows;  // two hexadecimal digits of coverage per pixel, row by row
};

extern const std::array<ScoreGlyph, kScoreGlyphs> kScoreFont;

// Draws f"{score:04.0f}" in white on black, centred at the pixel (x, y).
void DrawScore(double score, int x, int y, PixelSurface& surface, std::uint8_t black);

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_SCORE_FONT_H_
