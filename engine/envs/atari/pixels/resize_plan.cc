// See the header. The order of operations and their types are those of OpenCV
// (modules/imgproc/src/resize.cpp), because they affect the results.
#include "engine/envs/atari/pixels/resize_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine::atari {
namespace {

// One axis: pixels of the source per pixel of the result, and the reverse.
struct Ratio {
  Ratio(int from_size, int to_size)
      : from(from_size), to(to_size), inverse(static_cast<double>(to_size) / from_size) {}

  // The quotient is rounded twice, so some whole quotients are off by a bit. OpenCV treats these as
  // fractional.
  double scale() const { return 1.0 / inverse; }
  int whole() const { return static_cast<int>(std::lrint(scale())); }
  bool is_whole() const {
    return std::abs(scale() - whole()) < std::numeric_limits<double>::epsilon();
  }

  int from;
  int to;
  double inverse;
};

AreaAxis PlanArea(const Ratio& ratio) {
  constexpr double kNegligible = 1e-3;
  const double scale = ratio.scale();
  AreaAxis axis;
  for (int i = 0; i < ratio.to; ++i) {
    axis.begin.push_back(static_cast<int>(axis.taps.size()));
    const double begin = i * scale;
    const double end = begin + scale;
    const double size = std::min(scale, ratio.from - begin);
    const int last = std::min(static_cast<int>(std::floor(end)), ratio.from - 1);
    const int first = std::min(static_cast<int>(std::ceil(begin)), last);
    if (first - begin > kNegligible) {
      axis.taps.push_back({first - 1, static_cast<float>((first - begin) / size)});
    }
    for (int source = first; source < last; ++source) {
      axis.taps.push_back({source, static_cast<float>(1.0 / size)});
    }
    if (end - last > kNegligible) {
      const double part = std::min(std::min(end - last, 1.0), size);
      axis.taps.push_back({last, static_cast<float>(part / size)});
    }
  }
  axis.begin.push_back(static_cast<int>(axis.taps.size()));
  return axis;
}

AreaAxis PlanBlocks(const Ratio& ratio) {
  AreaAxis axis;
  for (int source = 0; source < ratio.from; ++source) {
    if (source % ratio.whole() == 0) axis.begin.push_back(source);
    axis.taps.push_back({source, 1.0f});
  }
  axis.begin.push_back(ratio.from);
  return axis;
}

// The first of an output's two adjacent sources, and the weight of the second.
struct Position {
  int source;
  float weight;
};

// Weighted by the distances between the centres of pixels.
Position LinearPosition(const Ratio& ratio, int output) {
  const auto at = static_cast<float>((output + 0.5) * ratio.scale() - 0.5);
  const float floor = std::floor(at);
  return {static_cast<int>(floor), at - floor};
}

// Weighted by the part of the output's pixel that lies in the second source.
Position AreaPosition(const Ratio& ratio, int output) {
  const int source = static_cast<int>(std::floor(output * ratio.scale()));
  const auto weight = static_cast<float>((output + 1) - (source + 1) * ratio.inverse);
  return {source, weight <= 0 ? 0.0f : weight - std::floor(weight)};
}

enum class Axis : std::uint8_t { kRows, kColumns };

LinearAxis PlanLinear(const Ratio& ratio, Interpolation interpolation, Axis axis) {
  constexpr float kOne = 2048;
  const int last = ratio.from - 1;
  LinearAxis plan;
  for (int i = 0; i < ratio.to; ++i) {
    Position at =
        interpolation == Interpolation::kArea ? AreaPosition(ratio, i) : LinearPosition(ratio, i);
    // Beyond an edge, a column uses only the edge, with the full weight. A row uses the edge with
    // both weights, which rounds differently.
    if (axis == Axis::kColumns && (at.source < 0 || at.source >= last)) {
      at = {at.source < 0 ? 0 : last, 0.0f};
    }
    plan.outputs.push_back({std::clamp(at.source, 0, last), std::clamp(at.source + 1, 0, last),
                            static_cast<std::int16_t>(std::lrint((1.0f - at.weight) * kOne)),
                            static_cast<std::int16_t>(std::lrint(at.weight * kOne))});
  }
  return plan;
}

}  // namespace

ResizePlan::ResizePlan(int from_height, int from_width, int to_height, int to_width,
                       Interpolation interpolation) {
  if (from_height == to_height && from_width == to_width) return;
  const Ratio rows(from_height, to_height);
  const Ratio columns(from_width, to_width);
  const bool whole = rows.is_whole() && columns.is_whole();
  if (interpolation == Interpolation::kLinear && whole && rows.whole() == 2 &&
      columns.whole() == 2) {
    interpolation = Interpolation::kArea;  // OpenCV does the same; only the rounding differs
  }
  if (interpolation == Interpolation::kLinear || rows.scale() < 1 || columns.scale() < 1) {
    method = ResizeMethod::kLinear;
    linear_rows = PlanLinear(rows, interpolation, Axis::kRows);
    linear_columns = PlanLinear(columns, interpolation, Axis::kColumns);
  } else if (whole) {
    method = ResizeMethod::kBlocks;
    block_height = rows.whole();
    block_width = columns.whole();
    area_rows = PlanBlocks(rows);
    area_columns = PlanBlocks(columns);
  } else {
    method = ResizeMethod::kArea;
    area_rows = PlanArea(rows);
    area_columns = PlanArea(columns);
  }
}

}  // namespace engine::atari
