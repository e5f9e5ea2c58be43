// Environments whose observation is the action that they received, byte for byte: one per kind of
// action space. The pool's threads run them.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_ECHO_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_ECHO_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/env/environment.h"

namespace engine::testing {

// `kAction` makes the action space, which is also the observation space. After a reset the
// observation is zero, or the lowest value of the space if zero is outside it.
template <SpaceSpec (*kAction)(), OutOfBounds kOutOfBounds>
class Echo {
 public:
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.action = kAction();
    spec.observation = kAction();
    spec.action_out_of_bounds = kOutOfBounds;
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues&) : initial(kAction().leaf_bytes()) {
      const SpaceSpec space = kAction();
      if (space.kind == SpaceKind::kDiscrete)
        std::memcpy(initial.data(), &space.start, sizeof(space.start));
      if (space.kind != SpaceKind::kBox) return;
      DispatchDType(space.dtype, [&](auto zero) {
        using T = decltype(zero);
        const bool one_bound = space.low.size() == sizeof(T);
        for (std::size_t at = 0; at < initial.size(); at += sizeof(T)) {
          T low{};
          T high{};
          std::memcpy(&low, space.low.data() + (one_bound ? 0 : at), sizeof(T));
          std::memcpy(&high, space.high.data() + (one_bound ? 0 : at), sizeof(T));
          if (low > zero || high < zero) std::memcpy(initial.data() + at, &low, sizeof(T));
        }
      });
    }
    std::vector<std::byte> initial;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Echo(const Config& config) : config_(config), last_(config.initial) {}

  void Reset(const Start&, Rng&) {
    std::copy(config_.initial.begin(), config_.initial.end(), last_.begin());
  }
  StepResult Step(ActionView action, Rng&) {
    std::memcpy(last_.data(), action.Data<std::byte>(), last_.size());
    return {};
  }
  void Observe(ObsRow row) const { std::memcpy(row.Data<std::byte>(), last_.data(), last_.size()); }

 private:
  const Config& config_;
  std::vector<std::byte> last_;
};

inline SpaceSpec MultiDiscreteSpace() { return SpaceSpec::MultiDiscrete({3, 1, 5'000'000'000}); }
inline SpaceSpec BoxSpace() {
  return SpaceSpec::Box<double>({2, 3}, {-1.0, -2.0, 0.0, 0.5, -1e300, -0.0},
                                {1.0, 2.0, 0.0, 0.75, 1e300, 1e-300});
}
inline SpaceSpec FloatBoxSpace() { return SpaceSpec::Box<float>({3}, -1.0F, 1.0F); }
inline SpaceSpec ByteBoxSpace() { return SpaceSpec::Box<std::uint8_t>({4}, 10, 200); }
inline SpaceSpec LongBoxSpace() {
  return SpaceSpec::Box<std::int64_t>({2}, {INT64_MIN, -3}, {INT64_MAX, INT64_MAX - 1});
}
inline SpaceSpec MultiBinarySpace() { return SpaceSpec::MultiBinary(5); }
inline SpaceSpec DiscreteStartSpace() { return SpaceSpec::Discrete(4, -3); }

using MultiDiscreteAction = Echo<MultiDiscreteSpace, OutOfBounds::kReject>;
using BoxAction = Echo<BoxSpace, OutOfBounds::kReject>;
using BoxClipAction = Echo<FloatBoxSpace, OutOfBounds::kEnvClips>;
using BoxIntAction = Echo<ByteBoxSpace, OutOfBounds::kReject>;
using BoxLongAction = Echo<LongBoxSpace, OutOfBounds::kReject>;
using MultiBinaryAction = Echo<MultiBinarySpace, OutOfBounds::kReject>;
using DiscreteStartAction = Echo<DiscreteStartSpace, OutOfBounds::kReject>;

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_ECHO_H_
