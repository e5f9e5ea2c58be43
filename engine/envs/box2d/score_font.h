// The digits with which CarRacing's picture shows the score.
#ifndef ENGINE_ENVS_BOX2D_SCORE_FONT_H_
#define ENGINE_ENVS_BOX2D_SCORE_FONT_H_

#include <array>
#include <cstdint>

#include "engine/envs/box2d/pixel_surface.h"

namespace engine::box2d {

inline constexpr std::size_t kScoreGlyphs = 11;  // '-', then '0' to '9'
inline constexpr int kScoreHeight = 46;          // pixels of a line of text
inline constexpr int kScoreFirstRow = 3;         // of those in ScoreGlyph::rows
inline constexpr int kScoreRows = 32;

struct ScoreGlyph {
  int width;                                       // pixels
  std::array<std::int16_t, kScoreGlyphs> kerning;  // added before the next glyph, 1/64 pixel
  const char* rows;  // row by row, two hexadecimal digits for the coverage of each pixel
};

extern const std::array<ScoreGlyph, kScoreGlyphs> kScoreFont;

// f"{score:04.0f}" in white on black, about the pixel (x, y).
void DrawScore(double score, int x, int y, PixelSurface& surface, std::uint8_t black);

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_SCORE_FONT_H_
