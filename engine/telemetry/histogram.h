// Counts of durations or sizes in buckets whose width grows with the value. There are eight buckets
// per doubling, so a value is known to 12.5 %. One thread adds; any thread reads.
#ifndef ENGINE_TELEMETRY_HISTOGRAM_H_
#define ENGINE_TELEMETRY_HISTOGRAM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace engine {

class Histogram {
 public:
  static constexpr std::uint32_t kPerDoubling = 8;
  // Values of 2^47 and more are counted in the last bucket: 13 hours of ticks at 3 GHz.
  static constexpr std::size_t kNumBuckets = 45 * kPerDoubling;
  using Counts = std::array<std::uint64_t, kNumBuckets>;

  // The bucket of a value. Each value below 8 has its own bucket.
  static constexpr std::size_t BucketOf(std::uint64_t value) {
    if (value < kPerDoubling) return static_cast<std::size_t>(value);
    const auto doublings = static_cast<std::uint32_t>(std::bit_width(value)) - kShift - 1;
    const std::uint64_t within = (value >> doublings) - kPerDoubling;
    return std::min<std::size_t>((doublings + 1) * kPerDoubling + within, kNumBuckets - 1);
  }
  // The least value of a bucket.
  static constexpr std::uint64_t LowOf(std::size_t bucket) {
    if (bucket < kPerDoubling) return bucket;
    const std::size_t doublings = bucket / kPerDoubling - 1;
    return (kPerDoubling + bucket % kPerDoubling) << doublings;
  }

  // Counts `value` `n` times. One thread at a time; if two call it at once, counts may be lost.
  void Add(std::uint64_t value, std::uint64_t n = 1) {
    std::atomic<std::uint64_t>& count = counts_[BucketOf(value)];
    count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  void AddTo(Counts& counts) const {
    for (std::size_t b = 0; b < kNumBuckets; ++b) {
      counts[b] += counts_[b].load(std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint32_t kShift = 3;
  static_assert(1U << kShift == kPerDoubling);

  std::array<std::atomic<std::uint64_t>, kNumBuckets> counts_{};
};

}  // namespace engine

#endif  // ENGINE_TELEMETRY_HISTOGRAM_H_
