// CartPole with the dynamics and the numbers of envpool_py's CartPole-v1. PlainCartPole steps one
// environment at a time; SimdCartPole steps four with SIMD instructions, with equal results.
#pragma once

#include <envpool.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>

#include "sine_table.h"

class PlainCartPole {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::EnvSpec Spec(const engine::ParamValues&) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr auto kPosition = static_cast<float>(2.0 * kPositionLimit);
    constexpr auto kAngle = static_cast<float>(2.0 * kAngleLimit);
    engine::EnvSpec spec;
    spec.observation =
        engine::SpaceSpec::Box<float>({4}, {-kPosition, -kInfinity, -kAngle, -kInfinity},
                                      {kPosition, kInfinity, kAngle, kInfinity});
    spec.action = engine::SpaceSpec::Discrete(2);  // 0: push left, 1: push right
    return spec;
  }

  static engine::ParamSchema ResetOptions() {
    const auto bound = [](const char* name, double value) {
      return engine::ParamSpec{.name = name,
                               .default_value = value,
                               .doc = "bound of each of the four state variables",
                               .low = -1e3,
                               .high = 1e3};
    };
    return {bound("low", -0.05), bound("high", 0.05)};
  }
  struct Start {
    explicit Start(const engine::ParamValues& options)
        : low(options.Get<double>("low")), high(options.Get<double>("high") + 0.0) {
      if (low > high) {
        throw engine::Error(engine::ErrorKind::kOption, "reset: expected low <= high, got " +
                                                            std::to_string(low) + " and " +
                                                            std::to_string(high));
      }
    }
    double low;
    double high;
  };

  void Reset(const Start& start, engine::Rng& rng) {
    for (double& value : state_) value = rng.Uniform(start.low, start.high);
  }

  engine::StepResult Step(engine::ActionView action, engine::Rng&) {
    auto& [x, x_speed, angle, angle_speed] = state_;
    const double force = action.Index() == 1 ? kForce : -kForce;
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    const double temp = (force + kPoleMassLength * (angle_speed * angle_speed) * sine) / kTotalMass;
    const double angle_acc =
        (kGravity * sine - cosine * temp) /
        (kHalfPoleLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
    const double x_acc = temp - kPoleMassLength * angle_acc * cosine / kTotalMass;
    x += kTimeStep * x_speed;
    x_speed += kTimeStep * x_acc;
    angle += kTimeStep * angle_speed;
    angle_speed += kTimeStep * angle_acc;
    return {.reward = 1.0,
            .terminated = std::abs(x) > kPositionLimit || std::abs(angle) > kAngleLimit};
  }

  void Observe(engine::ObsRow row) const {
    float* const values = row.Data<float>();
    for (std::size_t i = 0; i < state_.size(); ++i) values[i] = static_cast<float>(state_[i]);
  }

  void Save(engine::StateWriter& state) const { state.PutAll(std::span(state_)); }
  void Load(engine::StateReader& state) { state.GetAll(std::span(state_)); }

 protected:
  static constexpr double kGravity = 9.8;                                 // m/s^2
  static constexpr double kPoleMass = 0.1;                                // kg
  static constexpr double kTotalMass = kPoleMass + 1.0;                   // kg
  static constexpr double kHalfPoleLength = 0.5;                          // m
  static constexpr double kPoleMassLength = kPoleMass * kHalfPoleLength;  // kg m
  static constexpr double kForce = 10.0;                                  // N
  static constexpr double kTimeStep = 0.02;                               // s
  static constexpr double kPositionLimit = 2.4;                           // m
  static constexpr double kAngleLimit = 12 * 2 * std::numbers::pi / 360;  // rad

  // Position (m) and speed (m/s) of the cart, angle (rad, 0: upright) and angular speed (rad/s) of
  // the pole, as in the observation: one vector of four numbers.
  alignas(32) std::array<double, 4> state_ = {};
};

class SimdCartPole final : public PlainCartPole {
 public:
  static void StepMany(engine::StepRange<SimdCartPole> range) {
    std::uint32_t k = 0;
#ifdef CARTPOLE_SIMD
    if (cartpole_simd::SinesAgree()) k = StepFours(range);
#endif
    for (; k < range.size(); ++k) range.Set(k, range.env(k).Step(range.action(k), range.rng(k)));
  }

 private:
#ifdef CARTPOLE_SIMD
  // Steps the largest multiple of four environments. Returns their number.
  __attribute__((target("avx2,fma"))) static std::uint32_t StepFours(
      const engine::StepRange<SimdCartPole>& range) {
    const cartpole_simd::SineTable& table = cartpole_simd::SineTable::Get();
    std::uint32_t k = 0;
    for (; k + 4 <= range.size(); k += 4) StepFour(range, k, table);
    return k;
  }

  // Performs the operations of Step in the same order, each on four numbers.
  CARTPOLE_AVX2 static void StepFour(const engine::StepRange<SimdCartPole>& range, std::uint32_t k,
                                     const cartpole_simd::SineTable& table) {
    using cartpole_simd::All;
    double* const states[] = {range.env(k).state_.data(), range.env(k + 1).state_.data(),
                              range.env(k + 2).state_.data(), range.env(k + 3).state_.data()};
    __m256d x = _mm256_load_pd(states[0]);
    __m256d x_speed = _mm256_load_pd(states[1]);
    __m256d angle = _mm256_load_pd(states[2]);
    __m256d angle_speed = _mm256_load_pd(states[3]);
    cartpole_simd::Transpose(x, x_speed, angle, angle_speed);
    const __m256d sign_bit = All(-0.0);
    const __m256d fits = _mm256_cmp_pd(_mm256_andnot_pd(sign_bit, angle),
                                       All(cartpole_simd::kLargestAngle), _CMP_LT_OQ);
    if (_mm256_movemask_pd(fits) != 0xf) {
      for (std::uint32_t i = k; i < k + 4; ++i) {
        range.Set(i, range.env(i).Step(range.action(i), range.rng(i)));
      }
      return;
    }
    const __m256d pushes_left = _mm256_castsi256_pd(
        _mm256_set_epi64x(range.action(k + 3).Index() - 1, range.action(k + 2).Index() - 1,
                          range.action(k + 1).Index() - 1, range.action(k).Index() - 1));
    const __m256d force = _mm256_xor_pd(All(kForce), _mm256_and_pd(pushes_left, sign_bit));
    __m256d sine;
    __m256d cosine;
    cartpole_simd::SinCos(table, angle, sine, cosine);
    const __m256d speed_squared = _mm256_mul_pd(angle_speed, angle_speed);
    const __m256d temp = _mm256_div_pd(
        _mm256_add_pd(force,
                      _mm256_mul_pd(_mm256_mul_pd(All(kPoleMassLength), speed_squared), sine)),
        All(kTotalMass));
    const __m256d moment = _mm256_mul_pd(
        All(kHalfPoleLength),
        _mm256_sub_pd(All(4.0 / 3.0),
                      _mm256_div_pd(_mm256_mul_pd(All(kPoleMass), _mm256_mul_pd(cosine, cosine)),
                                    All(kTotalMass))));
    const __m256d angle_acc = _mm256_div_pd(
        _mm256_sub_pd(_mm256_mul_pd(All(kGravity), sine), _mm256_mul_pd(cosine, temp)), moment);
    const __m256d x_acc = _mm256_sub_pd(
        temp, _mm256_div_pd(_mm256_mul_pd(_mm256_mul_pd(All(kPoleMassLength), angle_acc), cosine),
                            All(kTotalMass)));
    const __m256d step = All(kTimeStep);
    x = _mm256_add_pd(x, _mm256_mul_pd(step, x_speed));
    x_speed = _mm256_add_pd(x_speed, _mm256_mul_pd(step, x_acc));
    angle = _mm256_add_pd(angle, _mm256_mul_pd(step, angle_speed));
    angle_speed = _mm256_add_pd(angle_speed, _mm256_mul_pd(step, angle_acc));
    const __m256d fell = _mm256_or_pd(
        _mm256_cmp_pd(_mm256_andnot_pd(sign_bit, x), All(kPositionLimit), _CMP_GT_OQ),
        _mm256_cmp_pd(_mm256_andnot_pd(sign_bit, angle), All(kAngleLimit), _CMP_GT_OQ));
    const auto ended = static_cast<unsigned>(_mm256_movemask_pd(fell));
    for (std::uint32_t i = 0; i < 4; ++i) {
      range.ends()[k + i] = (ended >> i & 1U) != 0 ? engine::EndBits::kTerminated : std::uint8_t{0};
    }
    _mm256_storeu_pd(range.rewards() + k, All(1.0));
    cartpole_simd::Transpose(x, x_speed, angle, angle_speed);
    _mm256_store_pd(states[0], x);
    _mm256_store_pd(states[1], x_speed);
    _mm256_store_pd(states[2], angle);
    _mm256_store_pd(states[3], angle_speed);
  }
#endif
};
