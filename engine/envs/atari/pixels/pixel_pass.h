// The pass that computes a frame, for any kind of vectors: V has the operations on one row or one
// block of sixteen columns. Each kernel's file includes this header once, with its own V and under
// V's compilation target. The anonymous namespace keeps the kernels' files from sharing any of it.
//
// Most rows equal the row above in both pictures, so the pass looks up and reduces equal rows only
// once. It copies a row of the frame whose sources are all equal from a row above that has equal
// sources with the same weights.
#ifndef ENGINE_ENVS_ATARI_PIXELS_PIXEL_PASS_H_
#define ENGINE_ENVS_ATARI_PIXELS_PIXEL_PASS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/pixel_tables.h"

namespace engine::atari {
namespace {

// The needed rows that differ from the needed row above them, in either picture.
struct DistinctRows {
  int count = 0;
  int line[kMaxPictureLines];          // each distinct row's number in the picture
  std::uint16_t of[kMaxPictureLines];  // each needed row's index among the distinct rows
};

template <class V>
void FindDistinctRows(const PixelTables& tables, const std::uint8_t* newest,
                      const std::uint8_t* before, DistinctRows& rows) {
  const std::size_t needed = tables.needed.size();
  typename V::Row above_newest;
  typename V::Row above_before;
  for (std::size_t i = 0; i < needed; ++i) {
    const int line = tables.needed[i];
    const std::ptrdiff_t at = std::ptrdiff_t{line} * atari2600::kWidth;
    bool differs = above_newest.Change(newest + at);
    if (before != nullptr) differs |= above_before.Change(before + at);
    if (differs || i == 0) rows.line[rows.count++] = line;
    rows.of[i] = static_cast<std::uint16_t>(rows.count - 1);
  }
}

template <class V>
void LookUpRows(const PixelTables& tables, std::size_t plane, const DistinctRows& rows,
                const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* values) {
  const typename V::LookUp look_up(*tables.levels[plane], *tables.lost_levels[plane]);
  for (int i = 0; i < rows.count; ++i) {
    const std::ptrdiff_t at = std::ptrdiff_t{rows.line[i]} * atari2600::kWidth;
    if (before == nullptr) {
      look_up.One(newest + at, values);
    } else {
      look_up.Maximum(newest + at, before + at, values);
    }
    values += kValuesStride;
  }
}

// Each method has two stages for a plane: Reduce makes sums of the distinct rows' values, and
// Finish makes a row of the frame from the sums.
template <class V, bool kScaled>
struct AreaMethod {
  using Sum = float;
  static void Reduce(const PixelTables& tables, const std::uint8_t* values, int count, Sum* sums) {
    switch (tables.taps) {
      case 1:
        return V::template ReduceArea<1>(tables, values, count, sums);
      case 2:
        return V::template ReduceArea<2>(tables, values, count, sums);
      case 3:
        return V::template ReduceArea<3>(tables, values, count, sums);
      case 4:
        return V::template ReduceArea<4>(tables, values, count, sums);
      default:
        return V::template ReduceArea<0>(tables, values, count, sums);
    }
  }
  static void Finish(const PixelTables& tables, std::size_t row, const std::uint16_t* distinct,
                     const std::uint8_t*, const Sum* sums, std::uint8_t* out) {
    const FrameRow& at = tables.rows[row];
    const float* weights = tables.row_weights.data() + tables.weights_begin[row];
    const int count = at.end - at.first;
    const std::ptrdiff_t stride = tables.sums_stride();
    const Sum* sources[kMaxPictureLines];
    sources[0] = sums + distinct[at.first] * stride;
    for (int i = 1; i < count; ++i) sources[i] = sums + distinct[at.first + i] * stride;
    switch (count) {
      case 1:
        return V::template FinishArea<1, kScaled>(tables, sources, weights, count, out);
      case 2:
        return V::template FinishArea<2, kScaled>(tables, sources, weights, count, out);
      case 3:
        return V::template FinishArea<3, kScaled>(tables, sources, weights, count, out);
      case 4:
        return V::template FinishArea<4, kScaled>(tables, sources, weights, count, out);
      default:
        return V::template FinishArea<0, kScaled>(tables, sources, weights, count, out);
    }
  }
};

template <class V>
struct LinearMethod {
  using Sum = std::int16_t;
  static void Reduce(const PixelTables& tables, const std::uint8_t* values, int count, Sum* sums) {
    V::ReduceLinear(tables, values, count, sums);
  }
  static void Finish(const PixelTables& tables, std::size_t row, const std::uint16_t* distinct,
                     const std::uint8_t*, const Sum* sums, std::uint8_t* out) {
    const FrameRow& at = tables.rows[row];
    const std::ptrdiff_t stride = tables.sums_stride();
    V::FinishLinear(sums + distinct[at.first] * stride, sums + distinct[at.end - 1] * stride,
                    tables.row_pairs[row * 2], tables.row_pairs[row * 2 + 1], tables.width, out);
  }
};

struct CopyMethod {
  using Sum = std::uint8_t;
  static void Reduce(const PixelTables&, const std::uint8_t*, int, Sum*) {}
  static void Finish(const PixelTables& tables, std::size_t row, const std::uint16_t* distinct,
                     const std::uint8_t* values, const Sum*, std::uint8_t* out) {
    std::memcpy(out, values + std::ptrdiff_t{distinct[tables.rows[row].first]} * kValuesStride,
                atari2600::kWidth);
  }
};

template <class V, class Method>
void Resize(const PixelTables& tables, const std::uint8_t* newest, const std::uint8_t* before,
            std::uint8_t* out, std::byte* scratch) {
  using Sum = typename Method::Sum;
  DistinctRows rows;
  FindDistinctRows<V>(tables, newest, before, rows);

  const auto planes = static_cast<std::size_t>(tables.planes);
  const std::size_t values_size = tables.needed.size() * kValuesStride + 64;
  const std::size_t sums_size =
      tables.needed.size() * static_cast<std::size_t>(tables.sums_stride()) * sizeof(Sum);
  std::uint8_t* values[3];
  Sum* sums[3];
  std::uint8_t* finished[3];
  for (std::size_t plane = 0; plane < planes; ++plane) {
    values[plane] = reinterpret_cast<std::uint8_t*>(scratch);
    sums[plane] = reinterpret_cast<Sum*>(scratch + values_size);
    finished[plane] = reinterpret_cast<std::uint8_t*>(scratch + values_size + sums_size);
    scratch += values_size + sums_size + kMaxFrameSide + 64;
    LookUpRows<V>(tables, plane, rows, newest, before, values[plane]);
    Method::Reduce(tables, values[plane], rows.count, sums[plane]);
  }

  const auto width = static_cast<std::size_t>(tables.width);
  const auto height = static_cast<std::size_t>(tables.height);
  const std::size_t row_size = tables.interleaved ? width * planes : width;
  const std::size_t plane_size = row_size * height;
  for (std::size_t row = 0; row < height; ++row) {
    std::uint8_t* const to = out + row * row_size;
    const FrameRow& at = tables.rows[row];
    if (at.like >= 0) {
      const FrameRow& like = tables.rows[static_cast<std::size_t>(at.like)];
      if (rows.of[like.first] == rows.of[at.end - 1]) {
        const std::uint8_t* from = out + static_cast<std::size_t>(at.like) * row_size;
        for (std::size_t plane = 0; plane < (tables.interleaved ? 1 : planes); ++plane) {
          std::memcpy(to + plane * plane_size, from + plane * plane_size, row_size);
        }
        continue;
      }
    }
    for (std::size_t plane = 0; plane < planes; ++plane) {
      Method::Finish(tables, row, rows.of, values[plane], sums[plane],
                     tables.interleaved ? finished[plane] : to + plane * plane_size);
    }
    if (tables.interleaved) {
      V::Interleave(finished[0], finished[1], finished[2], tables.width, to);
    }
  }
}

template <class V>
void MakeFrame(const PixelTables& tables, const std::uint8_t* newest, const std::uint8_t* before,
               std::uint8_t* out, std::byte* scratch) {
  switch (tables.method) {
    case ResizeMethod::kCopy:
      return Resize<V, CopyMethod>(tables, newest, before, out, scratch);
    case ResizeMethod::kBlocks:
      return Resize<V, AreaMethod<V, true>>(tables, newest, before, out, scratch);
    case ResizeMethod::kArea:
      return Resize<V, AreaMethod<V, false>>(tables, newest, before, out, scratch);
    case ResizeMethod::kLinear:
      return Resize<V, LinearMethod<V>>(tables, newest, before, out, scratch);
  }
}

}  // namespace
}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PIXEL_PASS_H_
