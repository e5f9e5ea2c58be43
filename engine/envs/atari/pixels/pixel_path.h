// Makes preprocessed frames from the console's pictures in one pass: conversion to grey or colour,
// the maximum over two pictures, and resizing. The values are bit-equal to those of ale-py's
// getScreenGrayscale or getScreenRGB, np.maximum and cv2.resize. Immutable: all environments of a
// pool share one object, on any threads at once.
#ifndef ENGINE_ENVS_ATARI_PIXELS_PIXEL_PATH_H_
#define ENGINE_ENVS_ATARI_PIXELS_PIXEL_PATH_H_

#include <cstddef>
#include <cstdint>

#include "engine/envs/atari/hardware.h"
#include "engine/envs/atari/pixels/pixel_tables.h"
#include "engine/envs/atari/pixels/resize_plan.h"

namespace engine::atari {

// The position of a pixel's three values.
enum class ChannelOrder : std::uint8_t {
  kInterleaved,  // (height, width, 3)
  kPlanar,       // (3, height, width)
};

struct PixelOptions {
  int lines = 210;  // rows of the console's picture, in [1, kMaxLines]
  TvFormat format = TvFormat::kNtsc;
  bool grey = true;  // one value per pixel, not three
  int height = 84;   // of a frame, in [1, kMaxSide]
  int width = 84;    // of a frame, in [1, kMaxSide]
  Interpolation interpolation = Interpolation::kArea;
  ChannelOrder order = ChannelOrder::kInterleaved;  // for three values per pixel
};

// The instructions of a pass: those that every processor has, or AVX2's or NEON's too. All passes
// give the same results.
enum class VectorUnit : std::uint8_t { kPortable, kVectors };

// Returns whether this processor supports the unit.
bool Supports(VectorUnit unit);

class PixelPath {
 public:
  static constexpr int kMaxLines = kMaxPictureLines;
  static constexpr int kMaxSide = kMaxFrameSide;

  // Uses the best pass that this processor supports, up to `widest`. Throws Error{kOption} for a
  // number out of range.
  explicit PixelPath(const PixelOptions& options, VectorUnit widest = VectorUnit::kVectors);

  const PixelOptions& options() const { return options_; }
  std::size_t frame_bytes() const;

  // `newest`: a picture, lines x 160 colour numbers. `before`: null, or a second picture with which
  // to take the maximum, per value. Writes frame_bytes() bytes. A thread's first frame of a size
  // allocates its working memory; later frames allocate nothing.
  void Run(const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* out) const;

 private:
  PixelOptions options_;
  PixelTables tables_;
  PixelPass pass_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PIXEL_PATH_H_
