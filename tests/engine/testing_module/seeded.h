// Testing/Seeded-v0: receives its seed, and can report a terminal signal without ending the
// episode. tests/envpool_py/pool/test_seeds_and_reported_ends.py tests both. The pool's threads run
// it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_SEEDED_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_SEEDED_H_

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "engine/env/environment.h"

namespace engine::testing {

// Observation uint64 (3,): the latest seed received, the number of seeds that this instance has
// received, and the generator's first number after the latest reset. Action 1 reports a terminal
// signal, action 2 requests a discount of zero, action 3 ends the episode, and action 4 throws.
class Seeded {
 public:
  static ParamSchema Options() {
    return {{.name = "reseeds",
             .default_value = false,
             .doc = "Whether it seeds its generator with the seed plus one.",
             .low = std::nullopt,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::uint64_t>({3}, std::uint64_t{0},
                                                     std::numeric_limits<std::uint64_t>::max());
    spec.action = SpaceSpec::Discrete(5);
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options) : reseeds(options.Get<bool>("reseeds")) {}
    bool reseeds;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Seeded(const Config& config) : config_(config) {}

  void Seed(std::uint64_t seed, Rng& rng) {
    seed_ = seed;
    ++times_;
    if (config_.reseeds) rng.Seed(seed + 1);
  }
  void Reset(const Start&, Rng& rng) {
    if (times_ == 0) throw std::logic_error("reset before it received a seed");
    first_ = rng.NextUint64();
  }
  StepResult Step(ActionView action, Rng&) {
    switch (action.Index()) {
      case 1:
        return {.reward = 1.0, .report_as_terminated = true};
      case 2:
        return {.reward = 2.0, .zero_discount = true};
      case 3:
        return {.reward = 3.0, .terminated = true};
      case 4:
        throw std::runtime_error("asked to");
      default:
        return {};
    }
  }
  void Observe(ObsRow row) const {
    auto* out = row.Data<std::uint64_t>();
    out[0] = seed_;
    out[1] = times_;
    out[2] = first_;
  }

 private:
  const Config& config_;
  std::uint64_t seed_ = 0;
  std::uint64_t times_ = 0;
  std::uint64_t first_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_SEEDED_H_
