// Testing/Heavy-v0: arithmetic of a cost that the test chooses, so that the pool uses its threads.
// The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_HEAVY_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_HEAVY_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "engine/env/environment.h"

namespace engine::testing {

// `iterations` steps of a linear congruential generator modulo 2^64. Each depends on the previous
// one, so that the processor cannot overlap them.
inline std::uint64_t Churn(std::uint64_t state, std::int64_t iterations) {
  for (std::int64_t i = 0; i < iterations; ++i) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  }
  return state;
}

// The number of started steps of Heavy-v0 in this process.
inline std::atomic<std::int64_t>& HeavySteps() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

// Observation uint64 (2,): the steps since the reset, and the generator's state, which starts from
// a random number. A step runs work * (1 + action) iterations.
class Heavy {
 public:
  static ParamSchema Options() {
    return {{.name = "work",
             .default_value = std::int64_t{10'000},
             .doc = "Iterations of a step with action 0, about a nanosecond each.",
             .low = 0.0,
             .high = std::nullopt},
            {.name = "episode_length",
             .default_value = std::int64_t{0},
             .doc = "Steps until an episode terminates; 0: never.",
             .low = 0.0,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::uint64_t>({2}, std::uint64_t{0},
                                                     std::numeric_limits<std::uint64_t>::max());
    spec.action = SpaceSpec::Discrete(5);
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : work(options.Get<std::int64_t>("work")),
          episode_length(options.Get<std::int64_t>("episode_length")) {}
    std::int64_t work;
    std::int64_t episode_length;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Heavy(const Config& config) : config_(config) {}

  void Reset(const Start&, Rng& rng) {
    steps_ = 0;
    state_ = rng.NextUint64();
  }
  StepResult Step(ActionView action, Rng&) {
    HeavySteps().fetch_add(1, std::memory_order_relaxed);
    ++steps_;
    state_ = Churn(state_, config_.work * (1 + action.Index()));
    return {.reward = static_cast<double>(state_ >> 40),
            .terminated = steps_ == config_.episode_length};
  }
  void Observe(ObsRow row) const {
    auto* out = row.Data<std::uint64_t>();
    out[0] = static_cast<std::uint64_t>(steps_);
    out[1] = state_;
  }

 private:
  const Config& config_;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_HEAVY_H_
