// How OpenCV's resize computes each row and column of a smaller or larger picture of 8-bit values:
// which of its four methods it uses, and the sources and weights that it computes first. A plan is
// the same for one and three channels. Built once, then constant: any thread.
#ifndef ENGINE_ENVS_ATARI_PIXELS_RESIZE_PLAN_H_
#define ENGINE_ENVS_ATARI_PIXELS_RESIZE_PLAN_H_

#include <cstdint>
#include <vector>

namespace engine::atari {

// OpenCV's INTER_AREA and INTER_LINEAR.
enum class Interpolation : std::uint8_t { kArea, kLinear };

enum class ResizeMethod : std::uint8_t {
  kCopy,    // the size stays
  kBlocks,  // whole numbers of rows and columns become one: sums of integers
  kArea,    // pixels may be split between outputs: sums in single precision
  kLinear,  // two taps each way, in fixed point; INTER_AREA too where either side grows
};

// One axis of kArea and kBlocks: output i is the sum over its taps, in order. The weights of
// kBlocks are 1, and the sum over both axes is divided by the number of pixels in a block.
struct AreaAxis {
  struct Tap {
    int source;
    float weight;
  };
  std::vector<Tap> taps;
  std::vector<int> begin;  // output i has the taps [begin[i], begin[i + 1])
};

// One axis of kLinear. Weights are in units of 1/2048.
struct LinearAxis {
  struct Output {
    int first, second;  // sources
    std::int16_t first_weight, second_weight;
  };
  std::vector<Output> outputs;
};

struct ResizePlan {
  // Sizes in pixels, at least 1.
  ResizePlan(int from_height, int from_width, int to_height, int to_width,
             Interpolation interpolation);

  ResizeMethod method = ResizeMethod::kCopy;
  int block_height = 1, block_width = 1;   // of kBlocks
  AreaAxis area_rows, area_columns;        // of kArea and kBlocks
  LinearAxis linear_rows, linear_columns;  // of kLinear
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_RESIZE_PLAN_H_
