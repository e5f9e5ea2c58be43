// The reference's exponential normalization of rewards: a running mean and variance, and the reward
// divided by the deviation. Their types are those of the reference's numbers, on which the rounding
// depends. Each instance belongs to one environment.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_REWARD_SCALE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_REWARD_SCALE_H_

#include "engine/env/state.h"
#include "engine/envs/mujoco/metaworld/scalar.h"

namespace engine::mujoco::metaworld {

class RewardScale {
 public:
  // Returns a reward in deviations. `rate` is the weight of a new reward, in [0, 1]. As in the
  // reference, each reward counts twice.
  double Apply(Scalar reward, double rate) {
    constexpr double kLeast = 1e-8;  // keeps the divisor from zero
    for (int time = 0; time < 2; ++time) Count(reward, rate);
    return (reward / (variance_.Root() + kLeast)).value();
  }

  void Save(StateWriter& state) const {
    for (const Scalar& number : {mean_, variance_}) {
      state.Put(number.value());
      state.Put(number.type());
    }
  }
  void Load(StateReader& state) {
    for (Scalar* const number : {&mean_, &variance_}) {
      const auto value = state.Get<double>();
      const auto type = state.Get<Scalar::Type>();
      ExpectState(type <= Scalar::Type::kFloat64, "the type of a number");
      *number = {value, type};
    }
  }

 private:
  void Count(Scalar reward, double rate) {
    mean_ = (1.0 - rate) * mean_ + rate * reward;
    variance_ = (1.0 - rate) * variance_ + rate * (reward - mean_).Square();
  }

  Scalar mean_ = 0.0;
  Scalar variance_ = 1.0;
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_REWARD_SCALE_H_
