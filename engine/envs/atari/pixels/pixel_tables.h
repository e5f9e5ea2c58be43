// The tables for computing frames with vectors: the rows of a picture that are needed, the sources
// of each row and column of the frame, and the values of the colours. Built by PixelPath, then
// constant: any thread.
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
// Columns are computed in blocks of this many; the last block may have unused columns.
inline constexpr int kBlock = 16;
// Distance between rows of values: 160, plus the bytes that a vector at the last value reads beyond
// it.
inline constexpr int kValuesStride = 192;

// A row of the frame is made from consecutive rows of the picture, given by their positions in
// PixelTables::needed.
struct FrameRow {
  int first = 0;
  int end = 0;
  int like = -1;  // an earlier row with the same weights for as many rows; -1: none
};

struct PixelTables {
  // The number of values per pixel, and the colours' levels for each value.
  int planes = 1;
  bool interleaved = false;
  const Levels* levels[3] = {};
  const Levels* lost_levels[3] = {};  // for lost colours
  int height = 0;
  int width = 0;

  ResizeMethod method = ResizeMethod::kCopy;
  // For kBlocks: the factor for a sum, and the addend before rounding to the nearest number, ties
  // to even. For sums of four pixels, OpenCV rounds ties up. Such sums are multiples of a quarter,
  // so adding an eighth rounds ties up and has no other effect.
  float scale = 1.0f;
  float bias = 0.0f;

  std::vector<int> needed;  // rows of the picture, ascending
  std::vector<FrameRow> rows;
  std::vector<float> row_weights;       // kArea and kBlocks: of row i, from weights_begin[i] on
  std::vector<int> weights_begin;       // kArea and kBlocks
  std::vector<std::int16_t> row_pairs;  // kLinear: two weights for each row

  // Columns for all methods except kCopy: output j of block b is the sum, over taps t, of the value
  // at sources[(b * taps + t) * kBlock + j] times the weight at the same index. For kLinear, the
  // weights of the two taps are adjacent: pairs[(b * kBlock + j) * 2 + t].
  int blocks = 0;
  int taps = 0;
  std::vector<std::uint8_t> sources;
  std::vector<float> weights;
  std::vector<std::int16_t> pairs;

  // FillShuffles(): the sources of each four columns, from a window of sixteen values that begins
  // at `windows`, as a shuffle of bytes into four zero-extended numbers (kLinear: four pairs).
  std::vector<std::uint8_t> shuffles;
  std::vector<std::uint8_t> windows;

  std::size_t scratch_bytes = 0;

  bool adds_up() const { return method == ResizeMethod::kArea || method == ResizeMethod::kBlocks; }
  int sums_stride() const { return blocks * kBlock; }
};

// Fills `tables`, which already have the planes, size and levels of the frame, for a picture with
// `lines` rows, at most kMaxPictureLines.
void FillTables(int lines, Interpolation interpolation, PixelTables& tables);

// Fills the shuffles for vectors of `lanes` columns, 4 or 8, in the order of blocks, vectors, taps
// and parts of a vector. Returns false if the sources of four columns lie too far apart.
bool FillShuffles(PixelTables& tables, int lanes);

// Makes a frame; `scratch` has scratch_bytes bytes and is 64-byte aligned.
using PixelPass = void (*)(const PixelTables& tables, const std::uint8_t* newest,
                           const std::uint8_t* before, std::uint8_t* out, std::byte* scratch);

// One per kind of vectors. `prepare` adds its shuffles to the tables, and returns whether it
// supports these sizes.
struct PixelKernel {
  bool (*prepare)(PixelTables& tables);
  PixelPass pass;
};

extern const PixelKernel kPortableKernel;
#if defined(__x86_64__)
extern const PixelKernel kAvx2Kernel;
#elif defined(__aarch64__)
extern const PixelKernel kNeonKernel;
#endif

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PIXEL_TABLES_H_
