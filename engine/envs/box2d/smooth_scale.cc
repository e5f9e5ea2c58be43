#include "engine/envs/box2d/smooth_scale.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace engine::box2d {
namespace {

constexpr std::uint32_t kWhole = 0x4000;  // the weight of a whole pixel

// Three channels in fields of 16 bits. A sum of up to 257 pixels fits into its field.
using Channels = std::uint64_t;

Channels Pack(Rgb color) {
  return Channels{color.r} | Channels{color.g} << 16 | Channels{color.b} << 32;
}

// Multiplies each field by a number and divides by 65536. Products are less than 2^32, so two
// fields can be multiplied at once.
Channels MultiplyHigh(Channels channels, std::uint32_t by) {
  constexpr Channels kEven = 0x0000ffff0000ffffU;
  const Channels even = channels & kEven;
  const Channels odd = (channels >> 16) & 0xffffU;
  return (((even * by) >> 16) & kEven) | ((odd * by) & 0xffff0000U);
}

Channels PartOf(Channels channels, std::uint32_t weight) {
  return MultiplyHigh(channels << 2, weight);
}

// The result is at most 255, because the reciprocal is rounded down.
Channels AverageOf(Channels sums, std::uint32_t reciprocal) {
  return MultiplyHigh(sums, reciprocal);
}

using Bytes16 [[gnu::vector_size(16)]] = std::uint8_t;

Bytes16 LoadBytes(const std::uint8_t* from) {
  Bytes16 bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

bool AnyBit(Bytes16 bytes) {
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), &bytes, sizeof words);
  return (words[0] | words[1]) != 0;
}

// The contributions of each color of a surface to each column, computed once per picture.
struct ColumnColors {
  struct Of {
    Channels begin;    // contribution of the first pixel
    Channels end;      // contribution of the last pixel
    Channels average;  // result if all pixels have the color
  };

  void Compute(const PixelSurface& surface, const ScaleAxis& columns) {
    for (std::uint8_t n = 0; n < PixelSurface::kColors; ++n) packed[n] = Pack(surface.color(n));
    of.resize(static_cast<std::size_t>(columns.size()) * PixelSurface::kColors);
    for (int j = 0; j < columns.size(); ++j) {
      const ScaleTap& tap = columns.tap(j);
      for (std::uint8_t n = 0; n < PixelSurface::kColors; ++n) {
        const Rgb color = surface.color(n);
        of[static_cast<std::size_t>(j) * PixelSurface::kColors + n] = {
            .begin = PartOf(packed[n], tap.begin_weight),
            .end = PartOf(packed[n], tap.end_weight),
            .average = Pack({columns.Uniform(j)[color.r], columns.Uniform(j)[color.g],
                             columns.Uniform(j)[color.b]})};
      }
    }
  }
  const Of* Column(int j) const { return &of[static_cast<std::size_t>(j) * PixelSurface::kColors]; }

  std::array<Channels, PixelSurface::kColors> packed;
  std::vector<Of> of;
};

// Computes the pixels of one column of the result.
class ColumnAverage {
 public:
  ColumnAverage(const PixelSurface& surface, const ColumnColors& colors, const ScaleAxis& columns,
                int j)
      : surface_(surface),
        packed_(colors.packed.data()),
        colors_(colors.Column(j)),
        tap_(columns.tap(j)),
        reciprocal_(columns.reciprocal()),
        mask_(LoadBytes(tap_.mask.data())) {}

  // Whether all pixels of these rows have the color `number`.
  bool IsUniform(int first, int last, std::uint8_t number) const {
    const Bytes16 same = Bytes16{} + number;
    Bytes16 differences{};
    for (int row = first; row <= last; ++row) differences |= Load(row) ^ same;
    return number != PixelSurface::kBlended && !AnyBit(differences & mask_);
  }
  std::uint8_t FirstOf(int row) const { return surface_.Row(row)[tap_.begin]; }

  Channels Uniform(std::uint8_t number) const { return colors_[number].average; }
  Channels Of(int row) const {
    const std::uint8_t* numbers = surface_.Row(row);
    const std::uint8_t first = numbers[tap_.begin];
    if (first != PixelSurface::kBlended && !AnyBit((Load(row) ^ (Bytes16{} + first)) & mask_)) {
      return colors_[first].average;
    }
    const std::uint8_t last = numbers[tap_.end];
    Channels sum = first != PixelSurface::kBlended
                       ? colors_[first].begin
                       : PartOf(Pack(surface_.ColorAt(row, tap_.begin)), tap_.begin_weight);
    sum += last != PixelSurface::kBlended
               ? colors_[last].end
               : PartOf(Pack(surface_.ColorAt(row, tap_.end)), tap_.end_weight);
    for (int x = tap_.whole_begin; x < tap_.end; ++x) {
      const std::uint8_t number = numbers[x];
      sum += number != PixelSurface::kBlended ? packed_[number] : Pack(surface_.ColorAt(row, x));
    }
    return AverageOf(sum, reciprocal_);
  }

 private:
  Bytes16 Load(int row) const { return LoadBytes(surface_.Row(row) + tap_.begin); }

  const PixelSurface& surface_;
  const Channels* packed_;
  const ColumnColors::Of* colors_;
  const ScaleTap& tap_;
  std::uint32_t reciprocal_;
  Bytes16 mask_;
};

void Write(Channels channels, std::uint8_t* rgb) {
  rgb[0] = static_cast<std::uint8_t>(channels);
  rgb[1] = static_cast<std::uint8_t>(channels >> 16);
  rgb[2] = static_cast<std::uint8_t>(channels >> 32);
}

}  // namespace

ScaleAxis::ScaleAxis(int from, int to) : uniform_(static_cast<std::size_t>(to) * 256) {
  const auto space = kWhole * static_cast<std::uint32_t>(from) / static_cast<std::uint32_t>(to);
  reciprocal_ = 0x40000000U / space;
  std::uint32_t left = space;
  ScaleTap tap;
  for (int pixel = 0; pixel < from && size() < to; ++pixel) {
    if (left > kWhole) {
      left -= kWhole;
      continue;
    }
    tap.end = pixel;
    tap.end_weight = left;
    for (int x = tap.begin; x <= std::min(tap.end, tap.begin + 15); ++x) {
      const auto at = static_cast<std::size_t>(x - tap.begin);
      tap.mask[at] = 255;
      if (x >= tap.whole_begin && x < tap.end) tap.whole_mask[at] = 255;
    }
    taps_.push_back(tap);
    const std::uint32_t rest = kWhole - left;
    tap = {.begin = pixel, .begin_weight = rest, .whole_begin = pixel + 1};
    left = space - rest;
  }
  for (int i = 0; i < size(); ++i) {
    const ScaleTap& t = this->tap(i);
    for (Channels value = 0; value < 256; ++value) {
      const auto wholes = static_cast<Channels>(t.end - t.whole_begin);
      const Channels sum =
          PartOf(value, t.begin_weight) + wholes * value + PartOf(value, t.end_weight);
      uniform_[static_cast<std::size_t>(i) * 256 + value] =
          static_cast<std::uint8_t>(AverageOf(sum, reciprocal_));
    }
  }
}

void SmoothScale::Scale(const PixelSurface& surface, std::uint8_t* rgb) const {
#if defined(__x86_64__)
  if (wide_) return ScaleWithAvx2(surface, columns_, rows_, rgb);
#endif
  ScalePortably(surface, rgb);
}

void SmoothScale::ScalePortably(const PixelSurface& surface, std::uint8_t* rgb) const {
  thread_local ColumnColors scratch;
  ColumnColors& colors = scratch;  // looked up once
  colors.Compute(surface, columns_);
  for (int i = 0; i < rows_.size(); ++i) {
    const ScaleTap& rows = rows_.tap(i);
    for (int j = 0; j < columns_.size(); ++j, rgb += 3) {
      const ColumnAverage column(surface, colors, columns_, j);
      const std::uint8_t number = column.FirstOf(rows.begin);
      if (column.IsUniform(rows.begin, rows.end, number)) {
        const Channels average = column.Uniform(number);
        for (int c = 0; c < 3; ++c) {
          rgb[c] = rows_.Uniform(i)[static_cast<std::uint8_t>(average >> (16 * c))];
        }
        continue;
      }
      Channels sum = PartOf(column.Of(rows.begin), rows.begin_weight) +
                     PartOf(column.Of(rows.end), rows.end_weight);
      for (int row = rows.whole_begin; row < rows.end; ++row) sum += column.Of(row);
      Write(AverageOf(sum, rows_.reciprocal()), rgb);
    }
  }
}

}  // namespace engine::box2d
