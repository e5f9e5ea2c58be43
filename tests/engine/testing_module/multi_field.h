// Testing/MultiField-v0: an observation of nested dicts and tuples with leaves of every element
// type and kind of space, and info fields of several types and shapes, some of which are set only
// in some rows. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_MULTI_FIELD_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_MULTI_FIELD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/env/environment.h"
#include "tests/engine/testing_module/pattern.h"

namespace engine::testing {

class MultiField {
 public:
  static ParamSchema Options() {
    return {{.name = "episode_length",
             .default_value = std::int64_t{9},
             .doc = "Steps until an episode terminates; 0: never.",
             .low = 0.0,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }

  // Leaves in depth-first order; Observe() relies on it.
  static EnvSpec Spec(const ParamValues&) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr auto kMin64 = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMax64 = std::numeric_limits<std::int64_t>::max();
    EnvSpec spec;
    spec.observation = SpaceSpec::Dict(
        {{"float32", SpaceSpec::Box<float>({2, 2}, kFloat32Low, kFloat32High)},
         {"float64", SpaceSpec::Box<double>({}, -kInf, kInf)},
         {"signed",
          SpaceSpec::Dict({{"int8", SpaceSpec::Box<std::int8_t>({3}, -128, 127)},
                           {"int16", SpaceSpec::Box<std::int16_t>({1, 2}, -300, 300)},
                           {"int32", SpaceSpec::Box<std::int32_t>({}, -70'000, -69'000)},
                           {"int64", SpaceSpec::Box<std::int64_t>({3}, {kMin64, kMax64 - 4, -1},
                                                                  {kMax64, kMax64, 1})}})},
         {"unsigned",
          SpaceSpec::Tuple(
              {SpaceSpec::Box<std::uint8_t>({2, 3, 4}, 0, 255),
               SpaceSpec::Tuple({SpaceSpec::Box<std::uint16_t>({5}, 1, 65'535),
                                 SpaceSpec::Box<std::uint32_t>({2}, 0, 4'294'967'295U)}),
               SpaceSpec::Box<std::uint64_t>({2}, std::uint64_t{0},
                                             std::numeric_limits<std::uint64_t>::max())})},
         {"flags", SpaceSpec::Box<bool>({7}, false, true)},
         {"discrete", SpaceSpec::Discrete(5, -2)},
         {"multi_discrete", SpaceSpec::MultiDiscrete({3, 1, 1'000'000'007})},
         {"multi_binary", SpaceSpec::MultiBinary(6)}});
    spec.action = SpaceSpec::Discrete(2);
    spec.infos = {{.name = "token", .dtype = DType::kUInt64, .shape = {}},
                  {.name = "vector", .dtype = DType::kFloat32, .shape = {3}},
                  {.name = "even_matrix", .dtype = DType::kInt16, .shape = {2, 2}},
                  {.name = "reset_only", .dtype = DType::kInt64, .shape = {}},
                  {.name = "rare", .dtype = DType::kBool, .shape = {4}},
                  {.name = "never", .dtype = DType::kFloat64, .shape = {2}}};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : episode_length(options.Get<std::int64_t>("episode_length")) {}
    std::int64_t episode_length;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit MultiField(const Config& config) : config_(config) {}

  void Reset(const Start&, Rng& rng) {
    token_ = rng.NextUint64();
    step_ = 0;
  }

  StepResult Step(ActionView, Rng&) {
    ++step_;
    return {.reward = static_cast<double>(step_),
            .terminated = static_cast<std::int64_t>(step_) == config_.episode_length};
  }

  void Observe(ObsRow row) const {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr auto kMin64 = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMax64 = std::numeric_limits<std::int64_t>::max();
    FillEach<float>(row, 0, kFloat32Low, kFloat32High);
    Fill<double>(row, 1, 1, -kInf, kInf);
    Fill<std::int8_t>(row, 2, 3, -128, 127);
    Fill<std::int16_t>(row, 3, 2, -300, 300);
    Fill<std::int32_t>(row, 4, 1, -70'000, -69'000);
    FillEach<std::int64_t>(row, 5, {kMin64, kMax64 - 4, -1}, {kMax64, kMax64, 1});
    Fill<std::uint8_t>(row, 6, 24, 0, 255);
    Fill<std::uint16_t>(row, 7, 5, 1, 65'535);
    Fill<std::uint32_t>(row, 8, 2, 0, 4'294'967'295U);
    Fill<std::uint64_t>(row, 9, 2, 0, std::numeric_limits<std::uint64_t>::max());
    Fill<bool>(row, 10, 7, false, true);
    Fill<std::int64_t>(row, 11, 1, -2, 2);
    FillEach<std::int64_t>(row, 12, {0, 0, 0}, {2, 0, 1'000'000'006});
    Fill<std::int8_t>(row, 13, 6, 0, 1);
  }

  void Info(InfoRow row, bool after_reset) const {
    row.Set<std::uint64_t>(kToken, token_);
    float* vector = row.Data<float>(kVector);
    for (std::uint64_t i = 0; i < 3; ++i) {
      vector[i] = PatternWithin(-1.0F, 1.0F, Pattern(token_, step_, kInfoColumn + kVector, i));
    }
    if (step_ % 2 == 0) {
      auto* matrix = row.Data<std::int16_t>(kEvenMatrix);
      for (std::uint64_t i = 0; i < 4; ++i) {
        matrix[i] = PatternWithin<std::int16_t>(
            -32'768, 32'767, Pattern(token_, step_, kInfoColumn + kEvenMatrix, i));
      }
    }
    if (after_reset) {
      row.Set<std::int64_t>(kResetOnly, std::numeric_limits<std::int64_t>::max());
    }
    if ((token_ + step_) % 7 == 0) {
      bool* rare = row.Data<bool>(kRare);
      for (std::uint64_t i = 0; i < 4; ++i) rare[i] = i == step_ % 4;
    }
  }

 private:
  enum InfoField : std::uint8_t { kToken, kVector, kEvenMatrix, kResetOnly, kRare };
  // Numbers of info columns in Pattern() start here, so that they differ from those of leaves.
  static constexpr std::uint64_t kInfoColumn = 100;

  // Never destroyed, because a daemon thread may step while the process exits.
  inline static const auto& kFloat32Low = *new std::vector<float>{-1.0F, 0.0F, -8.0F, 0.25F};
  inline static const auto& kFloat32High = *new std::vector<float>{1.0F, 1.0F, 8.0F, 0.25F};

  template <class T>
  void Fill(ObsRow row, std::size_t leaf, std::size_t count, T low, T high) const {
    T* out = row.Data<T>(leaf);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = PatternWithin<T>(low, high, Pattern(token_, step_, leaf, i));
    }
  }
  template <class T, class Bounds = std::array<T, 3>>
  void FillEach(ObsRow row, std::size_t leaf, const Bounds& low, const Bounds& high) const {
    T* out = row.Data<T>(leaf);
    for (std::size_t i = 0; i < low.size(); ++i) {
      out[i] = PatternWithin<T>(low[i], high[i], Pattern(token_, step_, leaf, i));
    }
  }

  const Config& config_;
  std::uint64_t token_ = 0;
  std::uint64_t step_ = 0;  // since the reset
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_MULTI_FIELD_H_
