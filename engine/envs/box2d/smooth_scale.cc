#include "engine/envs/box2d/smooth_scale.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace engine::box2d {
namespace {

constexpr std::uint32_t kWhole = 0x4000;  // the weight of a whole pixel

// Three channels in fields of 16 bits, which sums of up to 257 pixels do not leave.
using Channels = std::uint64_t;

Channels Pack(Rgb color) {
  return Channels{color.r} | Channels{color.g} << 16 | Channels{color.b} << 32;
}

std::uint32_t Part(std::uint32_t value, std::uint32_t weight) { return (4 * value * weight) >> 16; }

Channels PartOf(Channels channels, std::uint32_t weight) {
  Channels parts = 0;
  for (int shift = 0; shift < 48; shift += 16) {
    const auto value = static_cast<std::uint32_t>(channels >> shift) & 0xffffU;
    parts |= Channels{Part(value, weight)} << shift;
  }
  return parts;
}

std::uint32_t Average(std::uint32_t sum, std::uint32_t reciprocal) {
  return std::min<std::uint32_t>((sum * reciprocal) >> 16, 255);
}

Channels AverageOf(Channels sums, std::uint32_t reciprocal) {
  Channels averages = 0;
  for (int shift = 0; shift < 48; shift += 16) {
    const auto sum = static_cast<std::uint32_t>(sums >> shift) & 0xffffU;
    averages |= Channels{Average(sum, reciprocal)} << shift;
  }
  return averages;
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

// Bit masks that select the first `count` of 16 bytes.
Bytes16 FirstBytes(int count) {
  std::array<std::uint8_t, 16> mask{};
  std::fill_n(mask.begin(), count, std::uint8_t{255});
  return LoadBytes(mask.data());
}

// The average along x of one row.
Channels AverageRow(const PixelSurface& surface, int row, const ScaleTap& tap,
                    std::uint32_t reciprocal) {
  Channels sum = PartOf(Pack(surface.ColorAt(row, tap.begin)), tap.begin_weight) +
                 PartOf(Pack(surface.ColorAt(row, tap.end)), tap.end_weight);
  for (int x = tap.whole_begin; x < tap.end; ++x) sum += Pack(surface.ColorAt(row, x));
  return AverageOf(sum, reciprocal);
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
    taps_.push_back(tap);
    const std::uint32_t rest = kWhole - left;
    tap = {.begin = pixel, .begin_weight = rest, .whole_begin = pixel + 1};
    left = space - rest;
  }
  for (int i = 0; i < size(); ++i) {
    const ScaleTap& t = this->tap(i);
    for (std::uint32_t value = 0; value < 256; ++value) {
      const auto wholes = static_cast<std::uint32_t>(t.end - t.whole_begin);
      const std::uint32_t sum =
          Part(value, t.begin_weight) + wholes * value + Part(value, t.end_weight);
      uniform_[static_cast<std::size_t>(i) * 256 + value] =
          static_cast<std::uint8_t>(Average(sum, reciprocal_));
    }
  }
}

void SmoothScale::Scale(const PixelSurface& surface, std::uint8_t* rgb) const {
  for (int i = 0; i < rows_.size(); ++i) {
    const ScaleTap& rows = rows_.tap(i);
    for (int j = 0; j < columns_.size(); ++j, rgb += 3) {
      const ScaleTap& columns = columns_.tap(j);
      const std::uint8_t number = surface.Row(rows.begin)[columns.begin];
      const Bytes16 same = Bytes16{} + number;
      Bytes16 differences{};
      for (int row = rows.begin; row <= rows.end; ++row) {
        differences |= LoadBytes(surface.Row(row) + columns.begin) ^ same;
      }
      differences &= FirstBytes(columns.end - columns.begin + 1);
      if (number != PixelSurface::kBlended && !AnyBit(differences)) {
        const Rgb color = surface.color(number);
        rgb[0] = rows_.Uniform(i, columns_.Uniform(j, color.r));
        rgb[1] = rows_.Uniform(i, columns_.Uniform(j, color.g));
        rgb[2] = rows_.Uniform(i, columns_.Uniform(j, color.b));
        continue;
      }
      const std::uint32_t reciprocal = columns_.reciprocal();
      Channels sum =
          PartOf(AverageRow(surface, rows.begin, columns, reciprocal), rows.begin_weight) +
          PartOf(AverageRow(surface, rows.end, columns, reciprocal), rows.end_weight);
      for (int row = rows.whole_begin; row < rows.end; ++row) {
        sum += AverageRow(surface, row, columns, reciprocal);
      }
      const Channels averages = AverageOf(sum, rows_.reciprocal());
      rgb[0] = static_cast<std::uint8_t>(averages);
      rgb[1] = static_cast<std::uint8_t>(averages >> 16);
      rgb[2] = static_cast<std::uint8_t>(averages >> 32);
    }
  }
}

}  // namespace engine::box2d
