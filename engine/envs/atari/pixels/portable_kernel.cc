// The pass without explicit vectors.
#include <algorithm>

#include "engine/envs/atari/pixels/pixel_pass.h"

namespace engine::atari {
namespace {

using atari2600::kWidth;

struct PortableVectors {
  // The previous row, for comparison.
  class Row {
   public:
    // Replaces the stored row, and returns whether the new row differs from it. For the first row
    // the result is arbitrary.
    bool Change(const std::uint8_t* to) {
      const bool differs = row_ == nullptr || std::memcmp(row_, to, kWidth) != 0;
      row_ = to;
      return differs;
    }

   private:
    const std::uint8_t* row_ = nullptr;
  };

  class LookUp {
   public:
    LookUp(const Levels& levels, const Levels& lost) : levels_(levels), lost_(lost) {}
    void One(const std::uint8_t* colors, std::uint8_t* out) const {
      if (AnyLost(colors)) [[unlikely]] {
        for (int i = 0; i < kWidth; ++i) out[i] = Of(colors[i]);
      } else {
        for (int i = 0; i < kWidth; ++i) out[i] = levels_[colors[i] >> 1];
      }
    }
    void Maximum(const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* out) const {
      if (std::memcmp(newest, before, kWidth) == 0) return One(newest, out);
      std::uint8_t values[kWidth];
      One(newest, values);
      One(before, out);
      for (int i = 0; i < kWidth; ++i) out[i] = std::max(out[i], values[i]);
    }

   private:
    static bool AnyLost(const std::uint8_t* colors) {
      unsigned bits = 0;
      for (int i = 0; i < kWidth; ++i) bits |= colors[i];
      return (bits & 1) != 0;
    }
    std::uint8_t Of(std::uint8_t color) const {
      return ((color & 1) != 0 ? lost_ : levels_)[color >> 1];
    }

    const Levels& levels_;
    const Levels& lost_;
  };

  // Rounds a non-negative value to the nearest number, ties to even. A float of the magnitude of
  // kRounder has no fractional bits.
  static std::uint8_t Rounded(float value) {
    constexpr float kRounder = 0x1.8p+23f;
    const int rounded = static_cast<int>((value + kRounder) - kRounder);
    return static_cast<std::uint8_t>(std::min(rounded, 255));
  }

  template <int kTaps>
  static void ReduceArea(const PixelTables& tables, const std::uint8_t* values, int count,
                         float* sums) {
    const int taps = kTaps == 0 ? tables.taps : kTaps;
    float numbers[kWidth];
    for (int row = 0; row < count; ++row) {
      for (int i = 0; i < kWidth; ++i) numbers[i] = static_cast<float>(values[i]);
      const std::uint8_t* source = tables.sources.data();
      const float* weight = tables.weights.data();
      for (int block = 0; block < tables.blocks; ++block) {
        float sum[kBlock] = {};
        for (int tap = 0; tap < taps; ++tap) {
          for (int i = 0; i < kBlock; ++i) {
            sum[i] += numbers[source[i]] * weight[i];
          }
          source += kBlock;
          weight += kBlock;
        }
        std::copy_n(sum, kBlock, sums);
        sums += kBlock;
      }
      values += kValuesStride;
    }
  }

  template <int kCount, bool kScaled>
  static void FinishArea(const PixelTables& tables, const float* const* sources,
                         const float* weights, int count, std::uint8_t* out) {
    if constexpr (kCount != 0) count = kCount;
    const int width = tables.width;
    float sum[kMaxFrameSide];
    for (int i = 0; i < width; ++i) sum[i] = sources[0][i] * weights[0];
    for (int source = 1; source < count; ++source) {
      for (int i = 0; i < width; ++i) sum[i] += sources[source][i] * weights[source];
    }
    for (int i = 0; i < width; ++i) {
      out[i] = Rounded(kScaled ? sum[i] * tables.scale + tables.bias : sum[i]);
    }
  }

  static void ReduceLinear(const PixelTables& tables, const std::uint8_t* values, int count,
                           std::int16_t* sums) {
    for (int row = 0; row < count; ++row) {
      const std::int16_t* pair = tables.pairs.data();
      for (int block = 0; block < tables.blocks; ++block) {
        const std::uint8_t* source = tables.sources.data() + block * 2 * kBlock;
        for (int i = 0; i < kBlock; ++i, pair += 2) {
          const int sum = values[source[i]] * pair[0] + values[source[i + kBlock]] * pair[1];
          *sums++ = static_cast<std::int16_t>(sum >> 4);
        }
      }
      values += kValuesStride;
    }
  }

  static void FinishLinear(const std::int16_t* first, const std::int16_t* second,
                           std::int16_t first_weight, std::int16_t second_weight, int width,
                           std::uint8_t* out) {
    for (int i = 0; i < width; ++i) {
      const int sum = (first[i] * first_weight >> 16) + (second[i] * second_weight >> 16);
      out[i] = static_cast<std::uint8_t>((sum + 2) >> 2);
    }
  }

  static void Interleave(const std::uint8_t* red, const std::uint8_t* green,
                         const std::uint8_t* blue, int width, std::uint8_t* out) {
    for (int i = 0; i < width; ++i) {
      *out++ = red[i];
      *out++ = green[i];
      *out++ = blue[i];
    }
  }
};

bool PreparePortable(PixelTables&) { return true; }

}  // namespace

constinit const PixelKernel kPortableKernel{&PreparePortable, &MakeFrame<PortableVectors>};

}  // namespace engine::atari
