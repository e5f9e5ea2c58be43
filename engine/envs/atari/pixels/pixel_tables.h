// All that a frame is made with, prepared for vectors: which rows of a picture
// it needs, what each of its rows and columns is the sum of, the colours'
// values. Built by PixelPath, then constant: any thread.
#ifndef ENGINE_ENVS_ATARI_PIXELS_PIXEL_TABLES_H_
#define ENGINE_ENVS_ATARI_PIXELS_PIXEL_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/envs/atari/pixels/palette.h"
#include "engine/envs/atari/pixels/resize_plan.h"

namespace engine::atari {

inline constexpr int kMaxPictureLines = 300;
inline constexpr int kMaxFrameSide = 1024;
// Columns are computed in blocks of this many, the last of them with some that nobody sees.
inline constexpr int kBlock = 16;
// From one row of values to the next: 160, and what a vector that begins at the last one reads.
inline constexpr int kValuesStride = 192;

// A row of the frame is made of consecutive rows of the picture, by their positions in
// PixelTables::needed.
struct FrameRow {
  int first = 0;
  int end = 0;
  int like = -1;  // a row above with the same weights for as many rows; -1: none
};

struct PixelTables {
  // Values per pixel, and where they come from.
  int planes = 1;
  bool interleaved = false;
  const Levels* levels[3] = {};
  const Levels* lost_levels[3] = {};  // of colours that are lost
  int height = 0;
  int width = 0;

  ResizeMethod method = ResizeMethod::kCopy;
  // Of kBlocks: what a sum is multiplied by, and what is added before it is rounded to the nearest
  // number, halves to the even one. OpenCV rounds sums of four up: they are quarters, and an eighth
  // more has no other effect.
  float scale = 1.0f;
  float bias = 0.0f;

  std::vector<int> needed;  // rows of the picture, ascending
  std::vector<FrameRow> rows;
  std::vector<float> row_weights;       // of kArea and kBlocks: of row i, from weights_begin[i] on
  std::vector<int> weights_begin;       // likewise
  std::vector<std::int16_t> row_pairs;  // of kLinear: two for each row

  // Columns of all but kCopy: output j of block b is the sum, over tap t, of the value at
  // sources[(b * taps + t) * kBlock + j] times the weight at the same place. Of kLinear, the
  // weights of the two taps lie side by side: pairs[(b * kBlock + j) * 2 + t].
  int blocks = 0;
  int taps = 0;
  std::vector<std::uint8_t> sources;
  std::vector<float> weights;
  std::vector<std::int16_t> pairs;

  // The same as shuffles, as the vectors that use them lay them out.
  std::vector<std::uint8_t> shuffles;
  std::vector<std::uint8_t> windows;

  std::size_t scratch_bytes = 0;

  bool adds_up() const { return method == ResizeMethod::kArea || method == ResizeMethod::kBlocks; }
  int sums_stride() const { return blocks * kBlock; }
};

// Of a picture with `lines` rows, at most kMaxPictureLines, into a frame whose planes, size and
// levels `tables` has already.
void FillTables(int lines, Interpolation interpolation, PixelTables& tables);

// Makes a frame; `scratch` has scratch_bytes bytes and is aligned to 64.
using PixelPass = void (*)(const PixelTables& tables, const std::uint8_t* newest,
                           const std::uint8_t* before, std::uint8_t* out, std::byte* scratch);

// One for each kind of vectors. `prepare` adds its shuffles to the tables, and says whether it can
// do these sizes.
struct PixelKernel {
  bool (*prepare)(PixelTables& tables);
  PixelPass pass;
};

extern const PixelKernel kPortableKernel;
#if defined(__x86_64__)
extern const PixelKernel kAvx2Kernel;
#endif

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PIXEL_TABLES_H_
