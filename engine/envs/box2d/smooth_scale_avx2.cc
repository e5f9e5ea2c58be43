// SmoothScale::Scale with vectors of 32 bytes, for processors with AVX2.
#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "engine/envs/box2d/smooth_scale.h"

namespace engine::box2d {
namespace {

#define ENVPOOL_AVX2 [[gnu::target("avx2")]]

constexpr int kVector = 32;  // bytes
static_assert(PixelSurface::kStride % kVector == 0 && PixelSurface::kColors == 16);

ENVPOOL_AVX2 inline __m256i Load(const std::uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

ENVPOOL_AVX2 inline __m128i LoadHalf(const std::uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// 16 pixels of each of two rows.
ENVPOOL_AVX2 inline __m256i LoadRows(const std::uint8_t* low, const std::uint8_t* high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(LoadHalf(low)), LoadHalf(high), 1);
}

// Takes the color by value, because `rgb` could point into whatever holds it.
inline void Write(Rgb color, std::uint8_t* rgb) {
  rgb[0] = color.r;
  rgb[1] = color.g;
  rgb[2] = color.b;
}

// For each column, sets bits if its pixels in the rows [first, last] do not all have one number.
ENVPOOL_AVX2 void FindDifferences(const PixelSurface& surface, int first, int last,
                                  std::uint8_t* differences) {
  const std::uint8_t* const top = surface.Row(first);
  for (int x = 0; x < PixelSurface::kStride; x += kVector) {
    const __m256i numbers = Load(top + x);
    __m256i found = _mm256_setzero_si256();
    for (int row = 1; row <= last - first; ++row) {
      const __m256i others = Load(top + row * PixelSurface::kStride + x);
      found = _mm256_or_si256(found, _mm256_xor_si256(numbers, others));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(differences + x), found);
  }
}

// The average of a tap's pixels in two rows: the pixels of 16 bits per channel, each twice, of the
// first row in the lower half and of the second row in the upper half.
class TapAverage {
 public:
  ENVPOOL_AVX2 TapAverage(const PixelSurface& surface, std::uint32_t reciprocal)
      : surface_(surface), reciprocal_(_mm256_set1_epi16(static_cast<std::int16_t>(reciprocal))) {
    std::array<std::array<std::uint8_t, PixelSurface::kColors>, 3> colors;
    for (std::uint8_t n = 0; n < PixelSurface::kColors; ++n) {
      const Rgb color = surface.color(n);
      colors[0][n] = color.r;
      colors[1][n] = color.g;
      colors[2][n] = color.b;
    }
    for (std::size_t c = 0; c < colors.size(); ++c) {
      palette_[c] = _mm256_broadcastsi128_si256(LoadHalf(colors[c].data()));
    }
  }

  ENVPOOL_AVX2 void SetTap(const ScaleTap& tap) {
    begin_ = tap.begin;
    pixels_ = _mm256_broadcastsi128_si256(LoadHalf(tap.mask.data()));
    whole_ = _mm256_broadcastsi128_si256(LoadHalf(tap.whole_mask.data()));
    // Moves the first pixel to the first byte of each half and the last one to byte 8.
    const __m128i ends = _mm_set_epi64x(
        static_cast<std::int64_t>(0x8080808080808000U | static_cast<unsigned>(tap.end - tap.begin)),
        static_cast<std::int64_t>(0x8080808080808000U));
    ends_ = _mm256_broadcastsi128_si256(ends);
    const auto weight = [](std::uint32_t part) {
      return static_cast<std::int64_t>(part * 0x0001000100010001U);
    };
    end_weights_ = _mm256_broadcastsi128_si256(
        _mm_set_epi64x(weight(tap.end_weight), weight(tap.begin_weight)));
  }

  ENVPOOL_AVX2 inline __m256i Of(int low, int high) const {
    const __m256i numbers = LoadRows(surface_.Row(low) + begin_, surface_.Row(high) + begin_);
    const __m256i blended =
        _mm256_and_si256(_mm256_cmpeq_epi8(numbers, _mm256_set1_epi8(-1)), pixels_);
    __m256i sums = _mm256_setzero_si256();
    __m256i ends = sums;
    const bool any_blended = _mm256_testz_si256(blended, blended) == 0;
    for (int c = 2; c >= 0; --c) {
      // The number of a blended pixel has its highest bit set, which gives 0 here.
      __m256i values = _mm256_shuffle_epi8(palette_[c], numbers);
      if (any_blended) {
        const __m256i others =
            LoadRows(surface_.BlendedRow(c, low) + begin_, surface_.BlendedRow(c, high) + begin_);
        values = _mm256_or_si256(values, _mm256_and_si256(others, blended));
      }
      const __m256i sum = _mm256_sad_epu8(_mm256_and_si256(values, whole_), _mm256_setzero_si256());
      sums = _mm256_add_epi64(_mm256_slli_epi64(sums, 16), sum);
      ends = _mm256_or_si256(_mm256_slli_epi64(ends, 16), _mm256_shuffle_epi8(values, ends_));
    }
    sums = _mm256_add_epi64(sums, _mm256_mulhi_epu16(_mm256_slli_epi16(ends, 2), end_weights_));
    constexpr int kSwap = 0b01001110;
    sums = _mm256_add_epi64(sums, _mm256_shuffle_epi32(sums, kSwap));
    return _mm256_mulhi_epu16(sums, reciprocal_);
  }

 private:
  const PixelSurface& surface_;
  __m256i palette_[3];  // by channel: the values of the colors
  __m256i reciprocal_;
  int begin_ = 0;
  __m256i pixels_;  // 255 for the pixels of the tap
  __m256i whole_;   // 255 for those that count fully
  __m256i ends_;
  __m256i end_weights_;
};

}  // namespace

ENVPOOL_AVX2 void ScaleWithAvx2(const PixelSurface& surface, const ScaleAxis& columns,
                                const ScaleAxis& rows, std::uint8_t* rgb) {
  alignas(kVector) std::array<std::uint8_t, PixelSurface::kStride> differences;
  TapAverage average(surface, columns.reciprocal());
  const __m256i row_reciprocal = _mm256_set1_epi16(static_cast<std::int16_t>(rows.reciprocal()));
  const __m256i lower = _mm256_set_epi64x(0, 0, -1, -1);
  for (int i = 0; i < rows.size(); ++i) {
    const ScaleTap& row = rows.tap(i);
    FindDifferences(surface, row.begin, row.end, differences.data());
    const __m256i row_weights =
        _mm256_set_m128i(_mm_set1_epi16(static_cast<std::int16_t>(row.end_weight)),
                         _mm_set1_epi16(static_cast<std::int16_t>(row.begin_weight)));
    const std::uint8_t* const top = surface.Row(row.begin);
    const std::uint8_t* const row_uniform = rows.Uniform(i);
    for (int j = 0; j < columns.size(); ++j, rgb += 3) {
      const ScaleTap& column = columns.tap(j);
      const std::uint8_t number = top[column.begin];
      const __m128i other = _mm_or_si128(
          LoadHalf(&differences[static_cast<std::size_t>(column.begin)]),
          _mm_xor_si128(LoadHalf(top + column.begin), _mm_set1_epi8(static_cast<char>(number))));
      if (number != PixelSurface::kBlended &&
          _mm_testz_si128(other, LoadHalf(column.mask.data())) != 0) {
        const Rgb color = surface.color(number);
        const std::uint8_t* const uniform = columns.Uniform(j);
        Write({row_uniform[uniform[color.r]], row_uniform[uniform[color.g]],
               row_uniform[uniform[color.b]]},
              rgb);
        continue;
      }
      average.SetTap(column);
      __m256i sums =
          _mm256_mulhi_epu16(_mm256_slli_epi16(average.Of(row.begin, row.end), 2), row_weights);
      int whole = row.whole_begin;
      for (; whole + 1 < row.end; whole += 2) {
        sums = _mm256_add_epi64(sums, average.Of(whole, whole + 1));
      }
      if (whole < row.end) {
        sums = _mm256_add_epi64(sums, _mm256_and_si256(average.Of(whole, whole), lower));
      }
      sums = _mm256_add_epi64(sums, _mm256_permute4x64_epi64(sums, 0b01001110));
      const auto channels = static_cast<std::uint64_t>(
          _mm256_extract_epi64(_mm256_mulhi_epu16(sums, row_reciprocal), 0));
      Write({static_cast<std::uint8_t>(channels), static_cast<std::uint8_t>(channels >> 16),
             static_cast<std::uint8_t>(channels >> 32)},
            rgb);
    }
  }
}

}  // namespace engine::box2d
#endif
