// The environment of a family that exists only in a test: a frog crosses a pond, stone by stone.
// The pool's threads run it.
#ifndef TESTS_ENVPOOL_PY_NEW_FAMILY_POND_H_
#define TESTS_ENVPOOL_PY_NEW_FAMILY_POND_H_

#include <envpool.h>

#include <cstdint>
#include <span>
#include <utility>

// Observation int64 (): the current stone, from 0 to `stones` - 1. Action 1 leaps to the next
// stone, or falls back to the first one with probability `slip`. Action 0 waits. The episode ends
// with reward 1 on the last stone.
class Pond {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::ParamSchema OptionsOf(std::int64_t stones) {
    return {{.name = "stones",
             .default_value = stones,
             .doc = "stones of the pond",
             .low = 2.0,
             .high = 100.0},
            {.name = "slip",
             .default_value = 0.1,
             .doc = "probability that a leap ends on the first stone",
             .low = 0.0,
             .high = 1.0}};
  }
  static engine::ParamSchema Options() { return OptionsOf(5); }
  static engine::EnvSpec Spec(const engine::ParamValues& options) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Discrete(options.Get<std::int64_t>("stones"));
    spec.action = engine::SpaceSpec::Discrete(2);
    spec.scene_size = 1;
    return spec;
  }

  struct Config {
    explicit Config(const engine::ParamValues& options)
        : stones(options.Get<std::int64_t>("stones")), slip(options.Get<double>("slip")) {}
    std::int64_t stones;
    double slip;
  };

  explicit Pond(const Config& config) : config_(&config) {}

  void Reset(engine::Rng&) { stone_ = 0; }
  engine::StepResult Step(engine::ActionView action, engine::Rng& rng) {
    if (action.Index() == 1) stone_ = rng.Random() < config_->slip ? 0 : stone_ + 1;
    const bool across = stone_ == config_->stones - 1;
    return {.reward = across ? 1.0 : 0.0, .terminated = across};
  }
  void Observe(engine::ObsRow row) const { *row.Data<std::int64_t>() = stone_; }
  void Scene(std::span<double> scene) const { scene[0] = static_cast<double>(stone_); }

 private:
  const Config* config_;
  std::int64_t stone_ = 0;
};

#endif  // TESTS_ENVPOOL_PY_NEW_FAMILY_POND_H_
