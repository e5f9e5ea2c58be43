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
    // A chunk that the system interrupted takes milliseconds: let no sample
    // count for more than a few times the average.
    const double next = old == 0.0 ? sample : old + (std::min(sample, 4.0 * old) - old) * kWeight;
    ns_.store(static_cast<float>(next), std::memory_order_relaxed);
  }

  // How many environments take about `ns`; within [1, limit].
  std::uint32_t EnvsIn(double ns, std::uint32_t limit) const {
    const double cost = ns_per_env();
    if (cost <= 0.0) return 1;
    return static_cast<std::uint32_t>(std::clamp(ns / cost, 1.0, static_cast<double>(limit)));
  }

 private:
  static constexpr double kWeight = 1.0 / 8.0;

  alignas(kCacheLineBytes) std::atomic<float> ns_{0.0F};
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_COST_MODEL_H_
