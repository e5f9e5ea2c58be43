// See the header.
#include "engine/envs/atari/pixels/pixel_path.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/envs/atari/console/picture.h"
#include "engine/envs/atari/pixels/palette.h"

namespace engine::atari {
namespace {

void CheckRange(const char* name, int value, int most) {
  if (value >= 1 && value <= most) return;
  throw Error(ErrorKind::kOption, std::string(name) + ": expected an integer in [1, " +
                                      std::to_string(most) + "], got " + std::to_string(value));
}

const PixelOptions& Checked(const PixelOptions& options) {
  CheckRange("lines", options.lines, PixelPath::kMaxLines);
  CheckRange("height", options.height, PixelPath::kMaxSide);
  CheckRange("width", options.width, PixelPath::kMaxSide);
  return options;
}

std::uint8_t Rounded(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::lrint(value), 0L, 255L));
}

// Resizes one plane of `from`, rows of 160 values, into every `stride`th byte of `out`.
struct Resizer {
  const PixelOptions& options;
  const ResizePlan& plan;
  const std::uint8_t* from;
  std::uint8_t* out;
  std::size_t stride;

  const std::uint8_t* Row(int row) const { return from + static_cast<std::size_t>(row) * kWidth; }
  void Put(int row, int column, std::uint8_t value) const {
    out[(static_cast<std::size_t>(row) * static_cast<std::size_t>(options.width) +
         static_cast<std::size_t>(column)) *
        stride] = value;
  }

  void Copy() const {
    for (int row = 0; row < options.height; ++row) {
      for (int column = 0; column < options.width; ++column) Put(row, column, Row(row)[column]);
    }
  }

  void Blocks() const {
    const int area = plan.block_height * plan.block_width;
    const float scale = 1.0f / static_cast<float>(area);
    for (int row = 0; row < options.height; ++row) {
      for (int column = 0; column < options.width; ++column) {
        int sum = 0;
        for (int i = 0; i < area; ++i) {
          sum += Row(row * plan.block_height +
                     i / plan.block_width)[column * plan.block_width + i % plan.block_width];
        }
        const bool quarters = plan.block_height == 2 && plan.block_width == 2;
        Put(row, column,
            quarters ? static_cast<std::uint8_t>((sum + 2) >> 2)
                     : Rounded(static_cast<float>(sum) * scale));
      }
    }
  }

  void Area() const {
    const AreaAxis& rows = plan.area_rows;
    const AreaAxis& columns = plan.area_columns;
    for (std::size_t row = 0; row + 1 < rows.begin.size(); ++row) {
      float sums[PixelPath::kMaxSide] = {};
      for (int i = rows.begin[row]; i < rows.begin[row + 1]; ++i) {
        const AreaAxis::Tap& over = rows.taps[static_cast<std::size_t>(i)];
        for (std::size_t column = 0; column + 1 < columns.begin.size(); ++column) {
          float sum = 0;
          for (int j = columns.begin[column]; j < columns.begin[column + 1]; ++j) {
            const AreaAxis::Tap& tap = columns.taps[static_cast<std::size_t>(j)];
            sum += static_cast<float>(Row(over.source)[tap.source]) * tap.weight;
          }
          sums[column] += sum * over.weight;
        }
      }
      for (int column = 0; column < options.width; ++column) {
        Put(static_cast<int>(row), column, Rounded(sums[column]));
      }
    }
  }

  int Across(int row, const LinearAxis::Output& at) const {
    return Row(row)[at.first] * at.first_weight + Row(row)[at.second] * at.second_weight;
  }
  void Linear() const {
    for (int row = 0; row < options.height; ++row) {
      const auto& down = plan.linear_rows.outputs[static_cast<std::size_t>(row)];
      for (int column = 0; column < options.width; ++column) {
        const auto& across = plan.linear_columns.outputs[static_cast<std::size_t>(column)];
        const int first = (down.first_weight * (Across(down.first, across) >> 4)) >> 16;
        const int second = (down.second_weight * (Across(down.second, across) >> 4)) >> 16;
        Put(row, column, static_cast<std::uint8_t>((first + second + 2) >> 2));
      }
    }
  }
};

}  // namespace

PixelPath::PixelPath(const PixelOptions& options)
    : options_(Checked(options)),
      plan_(options.lines, kWidth, options.height, options.width, options.interpolation) {}

std::size_t PixelPath::frame_bytes() const {
  return static_cast<std::size_t>(options_.height) * static_cast<std::size_t>(options_.width) *
         (options_.grey ? 1 : 3);
}

void PixelPath::Run(const std::uint8_t* newest, const std::uint8_t* before,
                    std::uint8_t* out) const {
  const Palette& palette = PaletteOf(options_.format);
  const Levels* colors[3] = {&palette.red, &palette.green, &palette.blue};
  const bool interleaved = !options_.grey && options_.order == ChannelOrder::kInterleaved;
  std::uint8_t values[kMaxLines * kWidth];
  const std::size_t size = static_cast<std::size_t>(options_.lines) * kWidth;
  for (std::size_t plane = 0; plane < (options_.grey ? 1 : 3); ++plane) {
    const Levels& levels = options_.grey ? palette.grey : *colors[plane];
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint8_t value = levels[newest[i] >> 1];
      values[i] = before == nullptr ? value : std::max(value, levels[before[i] >> 1]);
    }
    const std::size_t offset = interleaved ? plane : plane * frame_bytes() / 3;
    const Resizer resizer{options_, plan_, values, out + offset,
                          std::size_t{interleaved ? 3u : 1u}};
    switch (plan_.method) {
      case ResizeMethod::kCopy:
        resizer.Copy();
        break;
      case ResizeMethod::kBlocks:
        resizer.Blocks();
        break;
      case ResizeMethod::kArea:
        resizer.Area();
        break;
      case ResizeMethod::kLinear:
        resizer.Linear();
        break;
    }
  }
}

}  // namespace engine::atari
