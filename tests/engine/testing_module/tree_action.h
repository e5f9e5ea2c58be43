// Testing/TreeAction-v0: actions of nested dicts and tuples, with one leaf of each kind of space.
// Its observation is the latest action and a position that depends on every leaf. Episodes end at
// random. tests/envpool_py/tree_action.py is the same environment in Python. The pool's threads run
// it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_TREE_ACTION_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_TREE_ACTION_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/env/environment.h"

namespace engine::testing {

class TreeAction {
 public:
  static constexpr bool kNeverWaits = true;
  static constexpr bool kKeepsFloat64 = true;

  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  // The keys are deliberately not sorted: Gymnasium sorts them.
  static SpaceSpec ActionSpace() {
    return SpaceSpec::Dict(
        {{"gait", SpaceSpec::Discrete(3, -1)},
         {"force", SpaceSpec::Box<float>({2}, {-1.0F, -2.0F}, {1.0F, 2.0F})},
         {"parts", SpaceSpec::Tuple({SpaceSpec::MultiDiscrete({3, 5}),
                                     SpaceSpec::Dict({{"switches", SpaceSpec::MultiBinary(4)},
                                                      {"dial", SpaceSpec::Box<std::int16_t>(
                                                                   {}, std::int16_t{-300},
                                                                   std::int16_t{300})}})})}});
  }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.action = ActionSpace();
    spec.observation = SpaceSpec::Dict(
        {{"action", ActionSpace()}, {"position", SpaceSpec::Box<double>({}, -1e6, 1e6)}});
    spec.infos = {{.name = "in_float64", .dtype = DType::kBool, .shape = {}}};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit TreeAction(const Config&) {}

  void Reset(const Start&, Rng& rng) {
    *this = TreeAction();
    position_ = rng.Random();
  }

  StepResult Step(ActionRow action, Rng& rng) {
    gait_ = action.Index(kGait);
    in_float64_ = action.IsFloat64(kForce);
    for (std::size_t i = 0; i < force_.size(); ++i) {
      force_[i] = in_float64_ ? action.Data<double>(kForce)[i]
                              : static_cast<double>(action.Data<float>(kForce)[i]);
    }
    std::copy_n(action.Data<std::int64_t>(kWheels), wheels_.size(), wheels_.begin());
    std::copy_n(action.Data<std::int8_t>(kSwitches), switches_.size(), switches_.begin());
    dial_ = *action.Data<std::int16_t>(kDial);
    position_ += 0.25 * static_cast<double>(gait_);
    position_ += force_[0] - force_[1] / 3.0;
    position_ += static_cast<double>(wheels_[0]) - static_cast<double>(wheels_[1]) / 7.0;
    for (const std::int8_t on : switches_)
      position_ = on != 0 ? position_ / 2.0 : position_ + 0.125;
    position_ += static_cast<double>(dial_) / 1000.0;
    return {.reward = position_, .terminated = rng.Random() < 0.1};
  }

  void Observe(ObsRow row) const {
    *row.Data<std::int64_t>(kGait) = gait_;
    for (std::size_t i = 0; i < force_.size(); ++i)
      row.Data<float>(kForce)[i] = static_cast<float>(force_[i]);
    std::copy(wheels_.begin(), wheels_.end(), row.Data<std::int64_t>(kWheels));
    std::copy(switches_.begin(), switches_.end(), row.Data<std::int8_t>(kSwitches));
    *row.Data<std::int16_t>(kDial) = dial_;
    *row.Data<double>(kPosition) = position_;
  }
  void Info(InfoRow row, bool after_reset) const {
    if (!after_reset) row.Set<bool>(0, in_float64_);
  }

 private:
  enum Leaf : std::uint8_t { kGait, kForce, kWheels, kSwitches, kDial, kPosition };

  TreeAction() = default;

  std::int64_t gait_ = 0;
  std::array<double, 2> force_ = {};
  std::array<std::int64_t, 2> wheels_ = {};
  std::array<std::int8_t, 4> switches_ = {};
  std::int16_t dial_ = 0;
  bool in_float64_ = false;
  double position_ = 0.0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_TREE_ACTION_H_
