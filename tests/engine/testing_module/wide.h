// Testing/Wide-v0: large observations, and a small and a large info. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_WIDE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_WIDE_H_

#include <algorithm>
#include <cstdint>

#include "engine/env/environment.h"

namespace engine::testing {

// Observation uint8 (width,): every byte is the number of steps since the reset, mod 256. Infos:
// "small" int64 and "large" float64 (16,). All their elements and the reward are the same number.
class Wide {
 public:
  static ParamSchema Options() {
    return {{.name = "width",
             .default_value = std::int64_t{16'384},
             .doc = "Bytes of an observation.",
             .low = 1.0,
             .high = 1e9}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::uint8_t>({options.Get<std::int64_t>("width")}, 0, 255);
    spec.action = SpaceSpec::Discrete(2);
    spec.infos = {{.name = "small", .dtype = DType::kInt64, .shape = {}},
                  {.name = "large", .dtype = DType::kFloat64, .shape = {16}}};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options) : width(options.Get<std::int64_t>("width")) {}
    std::int64_t width;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Wide(const Config& config) : config_(config) {}

  void Reset(const Start&, Rng&) { steps_ = 0; }
  StepResult Step(ActionView, Rng&) {
    ++steps_;
    return {.reward = static_cast<double>(steps_)};
  }
  void Observe(ObsRow row) const {
    std::fill_n(row.Data<std::uint8_t>(), config_.width, static_cast<std::uint8_t>(steps_));
  }
  void Info(InfoRow row, bool) const {
    row.Set<std::int64_t>(0, steps_);
    std::fill_n(row.Data<double>(1), 16, static_cast<double>(steps_));
  }

 private:
  const Config& config_;
  std::int64_t steps_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_WIDE_H_
