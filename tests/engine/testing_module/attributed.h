// Testing/Attributed-v0: has an attribute of every type. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_ATTRIBUTED_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_ATTRIBUTED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "engine/env/environment.h"

namespace engine::testing {

// Observation float64 (7,): the steps since the reset, `speed` at the reset, then `speed`, `lives`,
// `color` and `range`. The reward is `speed`. A step throws if `breaks` is set.
class Attributed {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "speed",
             .default_value = 1.5,
             .doc = "The speed at first.",
             .low = std::nullopt,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<double>({7}, -kInfinity, kInfinity);
    spec.action = SpaceSpec::Discrete(2);  // 1 ends the episode
    return spec;
  }

  struct Constants {
    double speed = 1.5;
    std::int64_t lives = 3;
    bool breaks = false;
    bool is_blue = false;
    std::array<double, 2> range = {-1.0, 1.0};
    double refused = 0.0;  // SetAttribute throws at 13
  };
  struct Config {
    explicit Config(const ParamValues& options) { constants.speed = options.Get<double>("speed"); }
    Constants constants;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Attributed(const Config& config) : constants_(config.constants) {}

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constexpr std::size_t kRefused = 5;
    if (index == kRefused && value[0] == 13.0) throw std::runtime_error("not 13");
    constants_.Set(kAttributes[index], value);
  }

  void Reset(const Start&, Rng&) {
    steps_ = 0;
    first_speed_ = constants_->speed;
  }
  StepResult Step(ActionView action, Rng&) {
    ++steps_;
    if (constants_->breaks) throw std::runtime_error("breaks is set");
    return {.reward = constants_->speed, .terminated = action.Index() == 1};
  }
  void Observe(ObsRow row) const {
    auto* const out = row.Data<double>();
    out[0] = static_cast<double>(steps_);
    out[1] = first_speed_;
    out[2] = constants_->speed;
    out[3] = static_cast<double>(constants_->lives);
    out[4] = constants_->is_blue ? 1.0 : 0.0;
    out[5] = constants_->range[0];
    out[6] = constants_->range[1];
  }
  void Save(StateWriter& state) const {
    state.Put(steps_);
    state.Put(first_speed_);
  }
  void Load(StateReader& state) {
    state.Get(steps_);
    state.Get(first_speed_);
  }

 private:
  static constexpr const char* kColors[] = {"red", "blue"};
  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::speed>("speed"),
      AttributeOf<&Constants::lives>("lives", 0, 9),
      AttributeOf<&Constants::breaks>("breaks"),
      ChoiceOf<&Constants::is_blue>("color", kColors),
      AttributeOf<&Constants::range>("range", -10.0),
      AttributeOf<&Constants::refused>("refused")};

  SharedAttributes<Constants> constants_;
  std::int64_t steps_ = 0;
  double first_speed_ = 0.0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_ATTRIBUTED_H_
