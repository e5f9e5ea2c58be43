// See the header.
#include "engine/envs/atari/pixels/pixel_tables.h"

#include <algorithm>
#include <utility>

#include "engine/emulators/atari2600/picture.h"

namespace engine::atari {
namespace {

// The first and last source of a row of the frame. The weights are floats for all methods, so that
// they can be compared.
struct RowSources {
  int first;
  int last;
  std::vector<float> weights;
};

std::vector<RowSources> SourcesOfRows(const ResizePlan& plan, int height) {
  std::vector<RowSources> rows;
  for (int row = 0; row < height; ++row) {
    const auto at = static_cast<std::size_t>(row);
    switch (plan.method) {
      case ResizeMethod::kCopy:
        rows.push_back({row, row, {}});
        break;
      case ResizeMethod::kBlocks:
      case ResizeMethod::kArea: {
        const auto begin = plan.area_rows.taps.begin();
        RowSources sources{0, 0, {}};
        for (auto tap = begin + plan.area_rows.begin[at];
             tap < begin + plan.area_rows.begin[at + 1]; ++tap) {
          if (sources.weights.empty()) sources.first = tap->source;
          sources.last = tap->source;
          sources.weights.push_back(tap->weight);
        }
        rows.push_back(std::move(sources));
        break;
      }
      case ResizeMethod::kLinear: {
        const LinearAxis::Output& output = plan.linear_rows.outputs[at];
        rows.push_back(
            {output.first,
             output.second,
             {static_cast<float>(output.first_weight), static_cast<float>(output.second_weight)}});
        break;
      }
    }
  }
  return rows;
}

void FillRows(const ResizePlan& plan, int lines, PixelTables& tables) {
  const std::vector<RowSources> sources = SourcesOfRows(plan, tables.height);
  std::vector<int> position(static_cast<std::size_t>(lines), -1);
  for (const RowSources& row : sources) {
    for (int line = row.first; line <= row.last; ++line)
      position[static_cast<std::size_t>(line)] = 0;
  }
  for (int line = 0; line < lines; ++line) {
    int& at = position[static_cast<std::size_t>(line)];
    if (at < 0) continue;
    at = static_cast<int>(tables.needed.size());
    tables.needed.push_back(line);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const RowSources& row = sources[i];
    FrameRow frame_row{.first = position[static_cast<std::size_t>(row.first)],
                       .end = position[static_cast<std::size_t>(row.last)] + 1};
    const int count = frame_row.end - frame_row.first;
    // Searches from the nearest row, and not far, because weights repeat after few rows or hardly
    // ever.
    constexpr std::size_t kFarthest = 16;
    for (std::size_t j = i; j-- > (i < kFarthest ? 0 : i - kFarthest);) {
      if (tables.rows[j].end - tables.rows[j].first != count) continue;
      if (sources[j].weights != row.weights) continue;
      frame_row.like = static_cast<int>(j);
      break;
    }
    tables.rows.push_back(frame_row);
    if (tables.adds_up()) {
      tables.weights_begin.push_back(static_cast<int>(tables.row_weights.size()));
      tables.row_weights.insert(tables.row_weights.end(), row.weights.begin(), row.weights.end());
    } else if (plan.method == ResizeMethod::kLinear) {
      for (const float weight : row.weights) {
        tables.row_pairs.push_back(static_cast<std::int16_t>(weight));
      }
    }
  }
}

void FillColumns(const ResizePlan& plan, PixelTables& tables) {
  tables.blocks = (tables.width + kBlock - 1) / kBlock;
  const auto outputs = static_cast<std::size_t>(tables.blocks * kBlock);
  const std::vector<int>& begin = plan.area_columns.begin;
  const bool area = tables.adds_up();
  tables.taps = 2;
  if (area) {
    tables.taps = 1;
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
      tables.taps = std::max(tables.taps, begin[i + 1] - begin[i]);
    }
  }
  const auto taps = static_cast<std::size_t>(tables.taps);
  tables.sources.resize(outputs * taps);
  tables.weights.resize(outputs * taps);
  tables.pairs.resize(outputs * 2);
  for (std::size_t output = 0; output < outputs; ++output) {
    // The unused columns repeat the last column, so they need no additional window.
    const std::size_t column = std::min(output, static_cast<std::size_t>(tables.width) - 1);
    for (std::size_t tap = 0; tap < taps; ++tap) {
      const std::size_t at = (output / kBlock * taps + tap) * kBlock + output % kBlock;
      if (area) {
        const auto first = static_cast<std::size_t>(begin[column]);
        const auto count = static_cast<std::size_t>(begin[column + 1]) - first;
        // Missing taps have weight 0, which does not change sums of non-negative values.
        const AreaAxis::Tap& source = plan.area_columns.taps[first + std::min(tap, count - 1)];
        tables.sources[at] = static_cast<std::uint8_t>(source.source);
        tables.weights[at] = tap < count ? source.weight : 0.0f;
      } else {
        const LinearAxis::Output& source = plan.linear_columns.outputs[column];
        tables.sources[at] = static_cast<std::uint8_t>(tap == 0 ? source.first : source.second);
        tables.pairs[output * 2 + tap] = tap == 0 ? source.first_weight : source.second_weight;
      }
    }
  }
}

}  // namespace

void FillTables(int lines, Interpolation interpolation, PixelTables& tables) {
  const ResizePlan plan(lines, atari2600::kWidth, tables.height, tables.width, interpolation);
  tables.method = plan.method;
  if (plan.method == ResizeMethod::kBlocks) {
    tables.scale = 1.0f / static_cast<float>(plan.block_height * plan.block_width);
    if (plan.block_height == 2 && plan.block_width == 2) tables.bias = 0.125f;
  }
  FillRows(plan, lines, tables);
  if (plan.method != ResizeMethod::kCopy) FillColumns(plan, tables);
  const auto planes = static_cast<std::size_t>(tables.planes);
  const std::size_t rows = tables.needed.size();
  const std::size_t values = rows * kValuesStride + 64;
  const std::size_t sums = rows * static_cast<std::size_t>(tables.sums_stride()) * sizeof(float);
  tables.scratch_bytes = planes * (values + sums + kMaxFrameSide + 64);
}

bool FillShuffles(PixelTables& tables, int lanes) {
  if (tables.method == ResizeMethod::kCopy) return true;
  constexpr int kOutputs = 4;
  constexpr int kWindow = 16;
  // The taps of kLinear are adjacent, in one shuffle.
  const int shuffles = tables.adds_up() ? tables.taps : 1;
  const int taps = tables.adds_up() ? 1 : 2;
  for (int vector = 0; vector < tables.blocks * kBlock; vector += lanes) {
    for (int shuffle = 0; shuffle < shuffles; ++shuffle) {
      for (int column = vector; column < vector + lanes; column += kOutputs) {
        const auto source = [&](int output, int tap) {
          const int at =
              (column / kBlock * tables.taps + shuffle + tap) * kBlock + column % kBlock + output;
          return int{tables.sources[static_cast<std::size_t>(at)]};
        };
        int low = atari2600::kWidth;
        int high = 0;
        for (int i = 0; i < kOutputs * taps; ++i) {
          low = std::min(low, source(i / taps, i % taps));
          high = std::max(high, source(i / taps, i % taps));
        }
        if (high - low >= kWindow) return false;
        tables.windows.push_back(static_cast<std::uint8_t>(low));
        for (int output = 0; output < kOutputs; ++output) {
          for (int byte = 0; byte < 4; ++byte) {
            const bool used = byte % (4 / taps) == 0;
            tables.shuffles.push_back(
                used ? static_cast<std::uint8_t>(source(output, byte * taps / 4) - low) : 0x80);
          }
        }
      }
    }
  }
  return true;
}

}  // namespace engine::atari
