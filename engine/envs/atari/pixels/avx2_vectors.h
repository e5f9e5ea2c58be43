// Operations on a frame's rows and columns, with vectors of 32 bytes. Included only by its kernel,
// after the target is set (see pixel_pass.h).
#ifndef ENGINE_ENVS_ATARI_PIXELS_AVX2_VECTORS_H_
#define ENGINE_ENVS_ATARI_PIXELS_AVX2_VECTORS_H_

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/pixel_tables.h"

namespace engine::atari {
namespace {

struct Avx2Vectors {
  static __m256i Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static __m128i LoadHalf(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  }
  static void Store(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }
  static void StoreHalf(void* to, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }

  static constexpr int kRowVectors = atari2600::kWidth / 32;

  // The previous row, for comparison.
  class Row {
   public:
    // Replaces the stored row, and returns whether the new row differs from it. For the first row
    // the result is arbitrary.
    bool Change(const std::uint8_t* to) {
      __m256i difference = _mm256_setzero_si256();
      for (int i = 0; i < kRowVectors; ++i) {
        const __m256i next = Load(to + 32 * i);
        difference = _mm256_or_si256(difference, _mm256_xor_si256(next, row_[i]));
        row_[i] = next;
      }
      return _mm256_testz_si256(difference, difference) == 0;
    }

   private:
    __m256i row_[kRowVectors] = {};
  };

  // Looks up sixteen colours per shuffle. A shuffle gives zero for an index whose high bit is set.
  // Table k has the XOR of the sixteen levels from 16k on with the sixteen levels before them. The
  // table is applied to the indices that are not negative after 16k is subtracted.
  class LookUp {
   public:
    LookUp(const Levels& levels, const Levels& lost) : levels_(levels), lost_(lost) {}
    void One(const std::uint8_t* colors, std::uint8_t* out) const {
      for (int i = 0; i < atari2600::kWidth; i += 32) Store(out + i, Of(Load(colors + i)));
    }
    void Maximum(const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* out) const {
      for (int i = 0; i < atari2600::kWidth; i += 32) {
        const __m256i first = Load(newest + i);
        const __m256i second = Load(before + i);
        const __m256i differ = _mm256_xor_si256(first, second);
        __m256i value = Of(first);
        if (_mm256_testz_si256(differ, differ) == 0) value = _mm256_max_epu8(value, Of(second));
        Store(out + i, value);
      }
    }

   private:
    struct Tables {
      explicit Tables(const Levels& levels) {
        __m128i below = _mm_setzero_si128();
        for (int i = 0; i < kCount; ++i) {
          const __m128i here = LoadHalf(levels.data() + 16 * i);
          part[i] = _mm256_broadcastsi128_si256(_mm_xor_si128(here, below));
          below = here;
        }
      }
      __m256i Of(__m256i colors) const {
        const __m256i sixteen = _mm256_set1_epi8(16);
        __m256i index = _mm256_and_si256(_mm256_srli_epi16(colors, 1), _mm256_set1_epi8(0x7F));
        __m256i value = _mm256_shuffle_epi8(part[0], index);
        for (int i = 1; i < kCount; ++i) {
          index = _mm256_sub_epi8(index, sixteen);
          value = _mm256_xor_si256(value, _mm256_shuffle_epi8(part[i], index));
        }
        return value;
      }
      static constexpr int kCount = kNumColors / 16;
      __m256i part[kCount];
    };

    __m256i Of(__m256i colors) const {
      const __m256i value = levels_.Of(colors);
      if (_mm256_testz_si256(colors, _mm256_set1_epi8(1)) != 0) [[likely]]
        return value;
      // Selects by the high bit of each byte.
      return _mm256_blendv_epi8(value, lost_.Of(colors), _mm256_slli_epi16(colors, 7));
    }

    Tables levels_;
    Tables lost_;
  };

  // Eight outputs at a time. Each half shuffles its sources from a window of its own.
  static constexpr int kLanes = 8;

  static bool Prepare(PixelTables& tables) { return FillShuffles(tables, kLanes); }

  // Two windows of a row of values, and the values shuffled from them. The members stay in
  // registers: in a loop that writes, the compiler would read them from memory every time.
  struct Gather {
    Gather(const PixelTables& tables, int index)
        : low(tables.windows[static_cast<std::size_t>(2 * index)]),
          high(tables.windows[static_cast<std::size_t>(2 * index + 1)]),
          shuffle(Load(tables.shuffles.data() + 32 * index)) {}
    __m256i From(const std::uint8_t* values) const {
      const __m256i half = _mm256_castsi128_si256(LoadHalf(values + low));
      return _mm256_shuffle_epi8(_mm256_inserti128_si256(half, LoadHalf(values + high), 1),
                                 shuffle);
    }
    std::ptrdiff_t low;
    std::ptrdiff_t high;
    __m256i shuffle;
  };

  // One tap of eight outputs of kArea.
  struct Tap {
    Tap(const PixelTables& tables, int block, int tap)
        : gather(tables, block * tables.taps + tap),
          weight(_mm256_loadu_ps(tables.weights.data() + (block / 2 * tables.taps + tap) * kBlock +
                                 block % 2 * kLanes)) {}
    __m256 From(const std::uint8_t* values) const {
      return _mm256_mul_ps(_mm256_cvtepi32_ps(gather.From(values)), weight);
    }
    Gather gather;
    __m256 weight;
  };

  // kTaps 0: any number of taps.
  template <int kTaps>
  static void ReduceArea(const PixelTables& tables, const std::uint8_t* values, int count,
                         float* sums) {
    for (int block = 0; block < 2 * tables.blocks; ++block) {
      float* const to = sums + block * kLanes;
      if constexpr (kTaps == 0) {
        ReduceLongBlock(tables, values, count, to, block);
      } else {
        [&]<int... kTap>(std::integer_sequence<int, kTap...>) {
          ReduceBlock(tables, values, count, to, Tap(tables, block, kTap)...);
        }(std::make_integer_sequence<int, kTaps>());
      }
    }
  }

  template <class... Taps>
  static void ReduceBlock(const PixelTables& tables, const std::uint8_t* values, int count,
                          float* to, const Tap first, const Taps... taps) {
    const int stride = tables.sums_stride();
    for (int row = 0; row < count; ++row) {
      __m256 sum = first.From(values);
      ((sum = _mm256_add_ps(sum, taps.From(values))), ...);
      _mm256_storeu_ps(to, sum);
      values += kValuesStride;
      to += stride;
    }
  }

  // Many taps do not fit in registers.
  static void ReduceLongBlock(const PixelTables& tables, const std::uint8_t* values, int count,
                              float* to, int block) {
    const int stride = tables.sums_stride();
    for (int row = 0; row < count; ++row) {
      __m256 sum = Tap(tables, block, 0).From(values);
      for (int tap = 1; tap < tables.taps; ++tap) {
        sum = _mm256_add_ps(sum, Tap(tables, block, tap).From(values));
      }
      _mm256_storeu_ps(to, sum);
      values += kValuesStride;
      to += stride;
    }
  }

  // Rounds to the nearest number, ties to even.
  static __m128i Round(__m256 low, __m256 high) {
    const __m256i words = _mm256_packs_epi32(_mm256_cvtps_epi32(low), _mm256_cvtps_epi32(high));
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0b11'01'10'00);
    return _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
  }

  // Stores the blocks of a row in sequence. The last block is moved so that it ends with the row.
  // make(column) returns sixteen bytes.
  template <class Make>
  static void StoreRow(int width, std::uint8_t* out, const Make& make) {
    if (width < kBlock) {
      std::uint8_t bytes[kBlock];
      StoreHalf(bytes, make(0));
      std::memcpy(out, bytes, static_cast<std::size_t>(width));
      return;
    }
    int column = 0;
    for (; column < width - kBlock; column += kBlock) StoreHalf(out + column, make(column));
    column = width - kBlock;
    StoreHalf(out + column, make(column));
  }

  template <int kCount, bool kScaled>
  static void FinishArea(const PixelTables& tables, const float* const* sources,
                         const float* weights, int count, std::uint8_t* out) {
    if constexpr (kCount != 0) count = kCount;
    StoreRow(tables.width, out, [&](int column) {
      const auto part = [&](int source, int at) {
        return _mm256_mul_ps(_mm256_loadu_ps(sources[source] + at),
                             _mm256_set1_ps(weights[source]));
      };
      __m256 low = part(0, column);
      __m256 high = part(0, column + kLanes);
      for (int source = 1; source < count; ++source) {
        low = _mm256_add_ps(low, part(source, column));
        high = _mm256_add_ps(high, part(source, column + kLanes));
      }
      if constexpr (kScaled) {
        const __m256 scale = _mm256_set1_ps(tables.scale);
        const __m256 bias = _mm256_set1_ps(tables.bias);
        low = _mm256_add_ps(_mm256_mul_ps(low, scale), bias);
        high = _mm256_add_ps(_mm256_mul_ps(high, scale), bias);
      }
      return Round(low, high);
    });
  }

  static void ReduceLinear(const PixelTables& tables, const std::uint8_t* values, int count,
                           std::int16_t* sums) {
    const int stride = tables.sums_stride();
    for (int block = 0; block < 2 * tables.blocks; ++block) {
      const Gather gather(tables, block);
      const __m256i weights = Load(tables.pairs.data() + block * kLanes * 2);
      const std::uint8_t* from = values;
      std::int16_t* to = sums + block * kLanes;
      for (int row = 0; row < count; ++row) {
        const __m256i sum = _mm256_srai_epi32(_mm256_madd_epi16(gather.From(from), weights), 4);
        StoreHalf(to,
                  _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1)));
        from += kValuesStride;
        to += stride;
      }
    }
  }

  static void FinishLinear(const std::int16_t* first, const std::int16_t* second,
                           std::int16_t first_weight, std::int16_t second_weight, int width,
                           std::uint8_t* out) {
    const __m256i first_weights = _mm256_set1_epi16(first_weight);
    const __m256i second_weights = _mm256_set1_epi16(second_weight);
    const __m256i two = _mm256_set1_epi16(2);
    StoreRow(width, out, [&](int column) {
      const __m256i sum =
          _mm256_add_epi16(_mm256_mulhi_epi16(Load(first + column), first_weights),
                           _mm256_mulhi_epi16(Load(second + column), second_weights));
      const __m256i rounded = _mm256_srai_epi16(_mm256_add_epi16(sum, two), 2);
      return _mm_packus_epi16(_mm256_castsi256_si128(rounded),
                              _mm256_extracti128_si256(rounded, 1));
    });
  }

  static void Interleave(const std::uint8_t* red, const std::uint8_t* green,
                         const std::uint8_t* blue, int width, std::uint8_t* out);
};

// The three destinations of the bytes of sixteen pixels, as shuffles: entry [n][c] moves the values
// of channel c to their positions in bytes 16n to 16n + 15.
struct InterleaveShuffles {
  std::uint8_t bytes[3][3][16];
};
inline constexpr InterleaveShuffles kInterleaveShuffles = [] {
  InterleaveShuffles shuffles{};
  for (int byte = 0; byte < 48; ++byte) {
    for (int channel = 0; channel < 3; ++channel) {
      shuffles.bytes[byte / 16][channel][byte % 16] =
          static_cast<std::uint8_t>(byte % 3 == channel ? byte / 3 : 0x80);
    }
  }
  return shuffles;
}();

inline void Avx2Vectors::Interleave(const std::uint8_t* red, const std::uint8_t* green,
                                    const std::uint8_t* blue, int width, std::uint8_t* out) {
  const auto block = [&](int column, std::uint8_t* to) {
    const __m128i values[3] = {LoadHalf(red + column), LoadHalf(green + column),
                               LoadHalf(blue + column)};
    for (int part = 0; part < 3; ++part) {
      const auto& shuffles = kInterleaveShuffles.bytes[part];
      __m128i bytes = _mm_shuffle_epi8(values[0], LoadHalf(shuffles[0]));
      bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(values[1], LoadHalf(shuffles[1])));
      bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(values[2], LoadHalf(shuffles[2])));
      StoreHalf(to + 16 * part, bytes);
    }
  };
  if (width < kBlock) {
    std::uint8_t bytes[3 * kBlock];
    block(0, bytes);
    std::memcpy(out, bytes, static_cast<std::size_t>(3 * width));
    return;
  }
  int column = 0;
  for (; column < width - kBlock; column += kBlock) block(column, out + 3 * column);
  column = width - kBlock;
  block(column, out + 3 * column);
}

}  // namespace
}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_AVX2_VECTORS_H_
