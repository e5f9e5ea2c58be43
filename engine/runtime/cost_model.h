// What the environments of a pool cost, as measured, and what follows from it:
// whether a batch is worth waking threads for and how large chunks should be.
// Written and read by every stepping thread; a lost update only delays learning.
#ifndef ENGINE_RUNTIME_COST_MODEL_H_
#define ENGINE_RUNTIME_COST_MODEL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engine/base/cache_line.h"

namespace engine {

class CostModel {
 public:
  // Average cost of one environment, ns; 0 before the first measurement.
  double ns_per_env() const { return static_cast<double>(ns_.load(std::memory_order_relaxed)); }

  void Measured(double ns, std::uint32_t envs) {
    const double sample = ns / envs;
    const double old = ns_per_env();
    // A chunk that the system interrupted shows milliseconds that are not the
    // environments': a sample above the average counts for less, and never as
    // more than a few times it.
    const double next = old == 0.0     ? sample
                        : sample < old ? old + (sample - old) * kWeightDown
                                       : old + (std::min(sample, 4.0 * old) - old) * kWeightUp;
    ns_.store(static_cast<float>(next), std::memory_order_relaxed);
  }

  // How many environments take about `ns`; within [1, limit].
  std::uint32_t EnvsIn(double ns, std::uint32_t limit) const {
    const double cost = ns_per_env();
    if (cost <= 0.0) return 1;
    return static_cast<std::uint32_t>(std::clamp(ns / cost, 1.0, static_cast<double>(limit)));
  }

 private:
  static constexpr double kWeightDown = 1.0 / 8.0;
  static constexpr double kWeightUp = 1.0 / 32.0;

  alignas(kCacheLineBytes) std::atomic<float> ns_{0.0F};
};

// Whether sharing light batches pays. With a processor for every thread it does;
// when others want the processors too, a helper is taken off in the middle of
// its piece and the caller waits for it longer than it would have worked. One
// thread at a time.
class SharingGain {
 public:
  // Batches that would take one thread longer are shared in any case.
  static constexpr double kLightNs = 100'000.0;

  // What a batch of `n` environments took the caller alone, all of it, ns.
  void Alone(double ns, std::uint32_t n) {
    // The first few fetch the environments from the helpers' caches.
    if (++alone_in_a_row_ <= kWarmUp) return;
    const double sample = ns / n;
    alone_ns_ = alone_ns_ == 0.0 ? sample : alone_ns_ + (sample - alone_ns_) * kWeight;
  }

  // What it took shared. The measure is the caller alone and not CostModel, for
  // what threads measure in a shared batch includes what sharing costs.
  void Shared(double ns, std::uint32_t n) {
    alone_in_a_row_ = 0;
    const double alone_ns = alone_ns_ * n;
    if (alone_ns <= 0.0 || alone_ns > kLightNs) return;
    if (warm_up_ > 0) {  // the helpers were asleep: waking them shows here
      --warm_up_;
      return;
    }
    ratio_ += (std::min(ns / alone_ns, kWorst) - ratio_) * kWeight;
    if (ratio_ >= 1.0) {
      left_ = pause_;
      warm_up_ = kWarmUp;
      pause_ = std::min(pause_ * 2, kLongestPause);
      ratio_ = kHopeful;
      good_ = 0;
    } else if (++good_ % kGoodInARow == 0) {
      // Now and then the caller works alone again, to know what that takes.
      left_ = 2 * kWarmUp;
      warm_up_ = kWarmUp;
      pause_ = kShortestPause;
    }
  }

  // Whether the next light batch should be shared; to be asked once for each.
  bool Try() {
    if (left_ == 0) return true;
    --left_;
    return false;
  }

 private:
  static constexpr double kWeight = 1.0 / 16.0;
  static constexpr double kWorst = 3.0;
  static constexpr double kHopeful = 0.8;
  static constexpr std::uint32_t kWarmUp = 8;
  static constexpr std::uint32_t kGoodInARow = 2'048;
  static constexpr std::uint32_t kShortestPause = 64;  // batches done alone
  static constexpr std::uint32_t kLongestPause = 16'384;

  double alone_ns_ = 0.0;  // per environment
  std::uint32_t alone_in_a_row_ = 0;
  double ratio_ = kHopeful;  // running average of shared time over time alone
  std::uint32_t good_ = 0;
  std::uint32_t pause_ = kShortestPause;
  std::uint32_t left_ = 0;
  std::uint32_t warm_up_ = kWarmUp;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_COST_MODEL_H_
