// Operations on a frame's rows and columns, with vectors of 16 bytes. Included only by its kernel.
#ifndef ENGINE_ENVS_ATARI_PIXELS_NEON_VECTORS_H_
#define ENGINE_ENVS_ATARI_PIXELS_NEON_VECTORS_H_

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/pixel_tables.h"

namespace engine::atari {
namespace {

struct NeonVectors {
  static constexpr int kRowVectors = atari2600::kWidth / 16;

  // The previous row, for comparison.
  class Row {
   public:
    // Replaces the stored row, and returns whether the new row differs from it. For the first row
    // the result is arbitrary.
    bool Change(const std::uint8_t* to) {
      uint8x16_t difference = vdupq_n_u8(0);
      for (int i = 0; i < kRowVectors; ++i) {
        const uint8x16_t next = vld1q_u8(to + 16 * i);
        difference = vorrq_u8(difference, veorq_u8(next, row_[i]));
        row_[i] = next;
      }
      return IsAny(difference);
    }

   private:
    uint8x16_t row_[kRowVectors] = {};
  };

  // One instruction looks up sixteen bytes among 64, and gives zero for an index beyond them.
  class LookUp {
   public:
    LookUp(const Levels& levels, const Levels& lost) : levels_(levels), lost_(lost) {}
    void One(const std::uint8_t* colors, std::uint8_t* out) const {
      for (int i = 0; i < atari2600::kWidth; i += 16) vst1q_u8(out + i, Of(vld1q_u8(colors + i)));
    }
    void Maximum(const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* out) const {
      for (int i = 0; i < atari2600::kWidth; i += 16) {
        const uint8x16_t first = vld1q_u8(newest + i);
        const uint8x16_t second = vld1q_u8(before + i);
        uint8x16_t value = Of(first);
        if (IsAny(veorq_u8(first, second))) value = vmaxq_u8(value, Of(second));
        vst1q_u8(out + i, value);
      }
    }

   private:
    struct Tables {
      explicit Tables(const Levels& levels)
          : low(vld1q_u8_x4(levels.data())), high(vld1q_u8_x4(levels.data() + 64)) {
        static_assert(kNumColors == 128);
      }
      uint8x16_t Of(uint8x16_t colors) const {
        const uint8x16_t index = vshrq_n_u8(colors, 1);
        return vorrq_u8(vqtbl4q_u8(low, index), vqtbl4q_u8(high, vsubq_u8(index, vdupq_n_u8(64))));
      }
      uint8x16x4_t low;
      uint8x16x4_t high;
    };

    uint8x16_t Of(uint8x16_t colors) const {
      const uint8x16_t value = levels_.Of(colors);
      const uint8x16_t is_lost = vtstq_u8(colors, vdupq_n_u8(1));
      if (!IsAny(is_lost)) [[likely]]
        return value;
      return vbslq_u8(is_lost, lost_.Of(colors), value);
    }

    Tables levels_;
    Tables lost_;
  };

  // Four outputs at a time, shuffled from a window of sixteen values.
  static constexpr int kLanes = 4;
  static constexpr int kParts = kBlock / kLanes;

  static bool Prepare(PixelTables& tables) { return FillShuffles(tables, kLanes); }

  // A window of a row of values, and the values shuffled from it. The members stay in registers: in
  // a loop that writes, the compiler would read them from memory every time.
  struct Gather {
    Gather(const PixelTables& tables, int index)
        : window(tables.windows[static_cast<std::size_t>(index)]),
          shuffle(vld1q_u8(tables.shuffles.data() + 16 * index)) {}
    uint8x16_t From(const std::uint8_t* values) const {
      return vqtbl1q_u8(vld1q_u8(values + window), shuffle);
    }
    std::ptrdiff_t window;
    uint8x16_t shuffle;
  };

  // One tap of four outputs of kArea.
  struct Tap {
    Tap(const PixelTables& tables, int part, int tap)
        : gather(tables, part * tables.taps + tap),
          weight(vld1q_f32(tables.weights.data() + (part / kParts * tables.taps + tap) * kBlock +
                           part % kParts * kLanes)) {}
    float32x4_t From(const std::uint8_t* values) const {
      return vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(gather.From(values))), weight);
    }
    Gather gather;
    float32x4_t weight;
  };

  // kTaps 0: any number of taps.
  template <int kTaps>
  static void ReduceArea(const PixelTables& tables, const std::uint8_t* values, int count,
                         float* sums) {
    for (int part = 0; part < kParts * tables.blocks; ++part) {
      float* const to = sums + part * kLanes;
      if constexpr (kTaps == 0) {
        ReduceLongPart(tables, values, count, to, part);
      } else {
        [&]<int... kTap>(std::integer_sequence<int, kTap...>) {
          ReducePart(tables, values, count, to, Tap(tables, part, kTap)...);
        }(std::make_integer_sequence<int, kTaps>());
      }
    }
  }

  template <class... Taps>
  static void ReducePart(const PixelTables& tables, const std::uint8_t* values, int count,
                         float* to, const Tap first, const Taps... taps) {
    const int stride = tables.sums_stride();
    for (int row = 0; row < count; ++row) {
      float32x4_t sum = first.From(values);
      ((sum = vaddq_f32(sum, taps.From(values))), ...);
      vst1q_f32(to, sum);
      values += kValuesStride;
      to += stride;
    }
  }

  // Many taps do not fit in registers.
  static void ReduceLongPart(const PixelTables& tables, const std::uint8_t* values, int count,
                             float* to, int part) {
    const int stride = tables.sums_stride();
    for (int row = 0; row < count; ++row) {
      float32x4_t sum = Tap(tables, part, 0).From(values);
      for (int tap = 1; tap < tables.taps; ++tap) {
        sum = vaddq_f32(sum, Tap(tables, part, tap).From(values));
      }
      vst1q_f32(to, sum);
      values += kValuesStride;
      to += stride;
    }
  }

  // Rounds eight non-negative values to the nearest number, ties to even.
  static uint8x8_t Round(float32x4_t low, float32x4_t high) {
    return vqmovn_u16(
        vcombine_u16(vqmovn_u32(vcvtnq_u32_f32(low)), vqmovn_u32(vcvtnq_u32_f32(high))));
  }

  // Stores the blocks of a row in sequence. The last block is moved so that it ends with the row.
  // make(column) returns sixteen bytes.
  template <class Make>
  static void StoreRow(int width, std::uint8_t* out, const Make& make) {
    if (width < kBlock) {
      std::uint8_t bytes[kBlock];
      vst1q_u8(bytes, make(0));
      std::memcpy(out, bytes, static_cast<std::size_t>(width));
      return;
    }
    int column = 0;
    for (; column < width - kBlock; column += kBlock) vst1q_u8(out + column, make(column));
    column = width - kBlock;
    vst1q_u8(out + column, make(column));
  }

  template <int kCount, bool kScaled>
  static void FinishArea(const PixelTables& tables, const float* const* sources,
                         const float* weights, int count, std::uint8_t* out) {
    if constexpr (kCount != 0) count = kCount;
    StoreRow(tables.width, out, [&](int column) {
      float32x4_t sums[kParts];
      for (int part = 0; part < kParts; ++part) {
        const int at = column + kLanes * part;
        float32x4_t sum = vmulq_n_f32(vld1q_f32(sources[0] + at), weights[0]);
        for (int source = 1; source < count; ++source) {
          sum = vaddq_f32(sum, vmulq_n_f32(vld1q_f32(sources[source] + at), weights[source]));
        }
        if constexpr (kScaled)
          sum = vaddq_f32(vmulq_n_f32(sum, tables.scale), vdupq_n_f32(tables.bias));
        sums[part] = sum;
      }
      return vcombine_u8(Round(sums[0], sums[1]), Round(sums[2], sums[3]));
    });
  }

  static void ReduceLinear(const PixelTables& tables, const std::uint8_t* values, int count,
                           std::int16_t* sums) {
    const int stride = tables.sums_stride();
    for (int part = 0; part < kParts * tables.blocks; ++part) {
      const Gather gather(tables, part);
      const int16x8_t weights = vld1q_s16(tables.pairs.data() + part * kLanes * 2);
      const std::uint8_t* from = values;
      std::int16_t* to = sums + part * kLanes;
      for (int row = 0; row < count; ++row) {
        const int16x8_t taps = vreinterpretq_s16_u8(gather.From(from));
        const int32x4_t sum = vpaddq_s32(vmull_s16(vget_low_s16(taps), vget_low_s16(weights)),
                                         vmull_high_s16(taps, weights));
        vst1_s16(to, vqmovn_s32(vshrq_n_s32(sum, 4)));
        from += kValuesStride;
        to += stride;
      }
    }
  }

  static void FinishLinear(const std::int16_t* first, const std::int16_t* second,
                           std::int16_t first_weight, std::int16_t second_weight, int width,
                           std::uint8_t* out) {
    // The upper half of a product. The instruction gives that of twice the product.
    const auto part = [](const std::int16_t* from, std::int16_t weight) {
      return vshrq_n_s16(vqdmulhq_n_s16(vld1q_s16(from), weight), 1);
    };
    const auto eight = [&](int column) {
      const int16x8_t sum =
          vaddq_s16(part(first + column, first_weight), part(second + column, second_weight));
      return vqmovun_s16(vshrq_n_s16(vaddq_s16(sum, vdupq_n_s16(2)), 2));
    };
    StoreRow(width, out, [&](int column) { return vcombine_u8(eight(column), eight(column + 8)); });
  }

  static void Interleave(const std::uint8_t* red, const std::uint8_t* green,
                         const std::uint8_t* blue, int width, std::uint8_t* out) {
    const auto block = [&](int column, std::uint8_t* to) {
      vst3q_u8(to, {{vld1q_u8(red + column), vld1q_u8(green + column), vld1q_u8(blue + column)}});
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

  static bool IsAny(uint8x16_t bytes) { return vmaxvq_u8(bytes) != 0; }
};

}  // namespace
}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_NEON_VECTORS_H_
