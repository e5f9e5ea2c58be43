// A frame's rows and columns in vectors of 64 bytes, where they are better than
// those of 32. Included by its kernel alone, below the target that it is
// compiled for (see pixel_pass.h).
#ifndef ENGINE_ENVS_ATARI_PIXELS_AVX512_VECTORS_H_
#define ENGINE_ENVS_ATARI_PIXELS_AVX512_VECTORS_H_

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/envs/atari/console/picture.h"
#include "engine/envs/atari/pixels/avx2_vectors.h"
#include "engine/envs/atari/pixels/pixel_tables.h"

namespace engine::atari {
namespace {

struct Avx512Vectors : Avx2Vectors {
  static __m512i LoadWide(const void* from) { return _mm512_loadu_si512(from); }

  // A row is two vectors and a half.
  class Row {
   public:
    bool Change(const std::uint8_t* to) {
      const __m512i next[] = {LoadWide(to), LoadWide(to + 64),
                              _mm512_zextsi256_si512(Load(to + 128))};
      __m512i difference = _mm512_xor_si512(next[0], row_[0]);
      for (int i = 1; i < 3; ++i) {
        constexpr int kOrXor = 0xF6;  // a | (b ^ c)
        difference = _mm512_ternarylogic_epi64(difference, next[i], row_[i], kOrXor);
      }
      for (int i = 0; i < 3; ++i) row_[i] = next[i];
      return _mm512_test_epi64_mask(difference, difference) != 0;
    }

   private:
    __m512i row_[3] = {};
  };

  // All colours in one shuffle.
  class LookUp {
   public:
    LookUp(const Levels& levels, const Levels& lost)
        : low_(LoadWide(levels.data())),
          high_(LoadWide(levels.data() + 64)),
          lost_low_(LoadWide(lost.data())),
          lost_high_(LoadWide(lost.data() + 64)) {}
    void One(const std::uint8_t* colors, std::uint8_t* out) const {
      _mm512_storeu_si512(out, Of(LoadWide(colors)));
      _mm512_storeu_si512(out + 64, Of(LoadWide(colors + 64)));
      Store(out + 128, Half(Of(_mm512_zextsi256_si512(Load(colors + 128)))));
    }
    void Maximum(const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* out) const {
      for (int i = 0; i < 128; i += 64) {
        _mm512_storeu_si512(out + i,
                            _mm512_max_epu8(Of(LoadWide(newest + i)), Of(LoadWide(before + i))));
      }
      const __m512i first = Of(_mm512_zextsi256_si512(Load(newest + 128)));
      const __m512i second = Of(_mm512_zextsi256_si512(Load(before + 128)));
      Store(out + 128, Half(_mm512_max_epu8(first, second)));
    }

   private:
    static __m256i Half(__m512i v) { return _mm512_castsi512_si256(v); }
    // The shuffle takes no notice of an index's high bit, which is the next pixel's.
    __m512i Of(__m512i colors) const {
      const __m512i index = _mm512_srli_epi16(colors, 1);
      const __m512i value = _mm512_permutex2var_epi8(low_, index, high_);
      const __mmask64 lost = _mm512_test_epi8_mask(colors, _mm512_set1_epi8(1));
      if (lost == 0) [[likely]]
        return value;
      return _mm512_mask_mov_epi8(value, lost,
                                  _mm512_permutex2var_epi8(lost_low_, index, lost_high_));
    }

    __m512i low_;
    __m512i high_;
    __m512i lost_low_;
    __m512i lost_high_;
  };

  // Sixteen outputs at a time: from a window of 64 values if that is enough for every block
  // (`windows` says where they begin), else from the whole row.
  static constexpr int kWindow = 64;

  static bool Prepare(PixelTables& tables);

  template <bool kWindows>
  class Source {
   public:
    Source(const std::uint8_t* values, int window) {
      if constexpr (kWindows) {
        part_[0] = LoadWide(values + window);
      } else {
        for (int i = 0; i < 3; ++i) part_[i] = LoadWide(values + 64 * i);
      }
    }
    // Bytes that `used` leaves out are zero.
    __m512i Gather(__m512i shuffle, __mmask64 used) const {
      if constexpr (kWindows) {
        return _mm512_maskz_permutexvar_epi8(used, shuffle, part_[0]);
      } else {
        const __mmask64 far = _mm512_movepi8_mask(shuffle);  // from 128 on
        const __m512i near = _mm512_maskz_permutex2var_epi8(used, part_[0], shuffle, part_[1]);
        return _mm512_mask_permutexvar_epi8(near, used & far, shuffle, part_[2]);
      }
    }

   private:
    __m512i part_[kWindows ? 1 : 3];
  };

  static constexpr __mmask64 kEveryFourth = 0x1111111111111111u;
  static constexpr __mmask64 kEverySecond = 0x5555555555555555u;

  template <int kTaps>
  static void ReduceArea(const PixelTables& tables, const std::uint8_t* values, int count,
                         float* sums) {
    if (tables.windows.empty()) {
      ReduceAreaFrom<kTaps, false>(tables, values, count, sums);
    } else {
      ReduceAreaFrom<kTaps, true>(tables, values, count, sums);
    }
  }

  template <int kTaps, bool kWindows>
  static void ReduceAreaFrom(const PixelTables& tables, const std::uint8_t* values, int count,
                             float* sums) {
    // Many taps do not fit in registers.
    constexpr int kHeld = kTaps == 0 ? 1 : kTaps;
    const int taps = kTaps == 0 ? tables.taps : kTaps;
    const int stride = tables.sums_stride();
    const std::uint8_t* shuffles = tables.shuffles.data();
    const float* weights = tables.weights.data();
    for (int block = 0; block < tables.blocks; ++block) {
      const int window = kWindows ? tables.windows[static_cast<std::size_t>(block)] : 0;
      const std::uint8_t* from = values;
      float* to = sums + block * kBlock;
      __m512i shuffle[kHeld];
      __m512 weight[kHeld];
      for (int tap = 0; tap < kHeld; ++tap) {
        shuffle[tap] = LoadWide(shuffles + tap * 64);
        weight[tap] = _mm512_loadu_ps(weights + tap * kBlock);
      }
      for (int row = 0; row < count; ++row) {
        const Source<kWindows> source(from, window);
        const auto part = [&](__m512i with, __m512 times) {
          return _mm512_mul_ps(_mm512_cvtepi32_ps(source.Gather(with, kEveryFourth)), times);
        };
        __m512 sum = part(shuffle[0], weight[0]);
        for (int tap = 1; tap < kHeld; ++tap) {
          sum = _mm512_add_ps(sum, part(shuffle[tap], weight[tap]));
        }
        for (int tap = kHeld; tap < taps; ++tap) {
          sum = _mm512_add_ps(
              sum, part(LoadWide(shuffles + tap * 64), _mm512_loadu_ps(weights + tap * kBlock)));
        }
        _mm512_storeu_ps(to, sum);
        from += kValuesStride;
        to += stride;
      }
      shuffles += taps * 64;
      weights += taps * kBlock;
    }
  }

  template <int kCount, bool kScaled>
  static void FinishArea(const PixelTables& tables, const float* const* sources,
                         const float* weights, int count, std::uint8_t* out) {
    if constexpr (kCount != 0) count = kCount;
    StoreRow(tables.width, out, [&](int column) {
      const auto part = [&](int source) {
        return _mm512_mul_ps(_mm512_loadu_ps(sources[source] + column),
                             _mm512_set1_ps(weights[source]));
      };
      __m512 sum = part(0);
      for (int source = 1; source < count; ++source) sum = _mm512_add_ps(sum, part(source));
      if constexpr (kScaled) {
        sum = _mm512_add_ps(_mm512_mul_ps(sum, _mm512_set1_ps(tables.scale)),
                            _mm512_set1_ps(tables.bias));
      }
      return _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(sum));
    });
  }

  static void ReduceLinear(const PixelTables& tables, const std::uint8_t* values, int count,
                           std::int16_t* sums) {
    if (tables.windows.empty()) {
      ReduceLinearFrom<false>(tables, values, count, sums);
    } else {
      ReduceLinearFrom<true>(tables, values, count, sums);
    }
  }

  template <bool kWindows>
  static void ReduceLinearFrom(const PixelTables& tables, const std::uint8_t* values, int count,
                               std::int16_t* sums) {
    const int stride = tables.sums_stride();
    for (int block = 0; block < tables.blocks; ++block) {
      const __m512i shuffle = LoadWide(tables.shuffles.data() + block * 64);
      const __m512i weights = LoadWide(tables.pairs.data() + block * kBlock * 2);
      const int window = kWindows ? tables.windows[static_cast<std::size_t>(block)] : 0;
      const std::uint8_t* from = values;
      std::int16_t* to = sums + block * kBlock;
      for (int row = 0; row < count; ++row) {
        const Source<kWindows> source(from, window);
        const __m512i sum = _mm512_madd_epi16(source.Gather(shuffle, kEverySecond), weights);
        Store(to, _mm512_cvtepi32_epi16(_mm512_srai_epi32(sum, 4)));
        from += kValuesStride;
        to += stride;
      }
    }
  }
};

inline bool Avx512Vectors::Prepare(PixelTables& tables) {
  if (tables.method == ResizeMethod::kCopy) return true;
  const bool area = tables.adds_up();
  const std::size_t size = static_cast<std::size_t>(tables.taps) * kBlock;  // sources of a block
  bool windows = true;
  for (std::size_t at = 0; at < tables.sources.size(); at += size) {
    const auto [low, high] =
        std::minmax_element(tables.sources.data() + at, tables.sources.data() + at + size);
    // A window lies within a row's bytes.
    const int begin = std::min(int{*low}, kValuesStride - kWindow);
    tables.windows.push_back(static_cast<std::uint8_t>(begin));
    windows = windows && *high - begin < kWindow;
  }
  if (!windows) tables.windows.clear();
  // The taps of kLinear lie side by side, in one shuffle.
  const std::size_t shuffles = area ? static_cast<std::size_t>(tables.taps) : 1;
  for (std::size_t block = 0; block < static_cast<std::size_t>(tables.blocks); ++block) {
    for (std::size_t shuffle = 0; shuffle < shuffles; ++shuffle) {
      for (std::size_t byte = 0; byte < 64; ++byte) {
        const std::size_t tap = area ? shuffle : byte / 2 % 2;
        const int source = tables.sources[block * size + tap * kBlock + byte / 4];
        tables.shuffles.push_back(
            static_cast<std::uint8_t>(source - (windows ? tables.windows[block] : 0)));
      }
    }
  }
  return true;
}

}  // namespace
}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_AVX512_VECTORS_H_
