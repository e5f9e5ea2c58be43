// What colour numbers look like: the two televisions' colours, and whole
// pictures in colour or grey as ale-py gives them. A colour number is hue (the
// high four bits) and luminance (three bits). Its lowest bit says that the
// colour is lost, as it is on a PAL set from a picture with an odd number of
// lines (of ale-py's games, Air Raid's). Constant, any thread.
#ifndef ENGINE_ENVS_ATARI_PIXELS_PALETTE_H_
#define ENGINE_ENVS_ATARI_PIXELS_PALETTE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/envs/atari/hardware.h"

namespace engine::atari {

inline constexpr std::size_t kNumColors = 128;

// What a picture is turned into: one value per colour, entry n for the colour number 2n.
using Levels = std::array<std::uint8_t, kNumColors>;

struct Palette {
  Levels red, green, blue;
  Levels grey;  // luma, rounded
  // For the numbers 2n + 1. In colour, red, green and blue are all `grey`; getScreenGrayscale
  // shows instead the blue of the colour after this one, of the last one nothing.
  Levels lost_grey;
};

const Palette& PaletteOf(TvFormat format);

// Writes three bytes a pixel (red, green, blue), as getScreenRGB does.
void ToRgb(std::span<const std::uint8_t> pixels, TvFormat format, std::uint8_t* out);
// Writes one byte a pixel, as getScreenGrayscale does.
void ToGrey(std::span<const std::uint8_t> pixels, TvFormat format, std::uint8_t* out);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PALETTE_H_
