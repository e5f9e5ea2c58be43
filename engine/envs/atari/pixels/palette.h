// Converts colour numbers: the palettes of both television standards, and whole pictures in colour
// or grey, as ale-py returns them. A colour number is hue (the high four bits) and luminance (three
// bits). Its lowest bit means that the colour is lost, as on a PAL television for a frame with an
// odd number of lines (among ale-py's games, only in Air Raid). Constant, any thread.
#ifndef ENGINE_ENVS_ATARI_PIXELS_PALETTE_H_
#define ENGINE_ENVS_ATARI_PIXELS_PALETTE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/envs/atari/hardware.h"

namespace engine::atari {

inline constexpr std::size_t kNumColors = 128;

// One value per colour: entry n is for the colour number 2n.
using Levels = std::array<std::uint8_t, kNumColors>;

struct Palette {
  Levels red, green, blue;
  Levels grey;  // luma, rounded
  // For the colour numbers 2n + 1. getScreenRGB returns `grey` for red, green and blue.
  // getScreenGrayscale instead returns the blue of the next colour, and 0 for the last colour.
  Levels lost_grey;
};

const Palette& PaletteOf(TvFormat format);

// Writes three bytes per pixel (red, green, blue), as getScreenRGB does.
void ToRgb(std::span<const std::uint8_t> pixels, TvFormat format, std::uint8_t* out);
// Writes one byte per pixel, as getScreenGrayscale does.
void ToGrey(std::span<const std::uint8_t> pixels, TvFormat format, std::uint8_t* out);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PALETTE_H_
