// Makes typical mistakes of authors, one for each value of the option "mistake".
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_MISTAKEN_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_MISTAKEN_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/env/environment.h"

namespace engine::testing {

// The observation is a dict: "cell" discrete, "speed" float64 (2, 3) in [-1, 1], "free" float32 (2)
// without bounds. Infos: "bumps" int64, "seen" float32 (3). The mistake starts at step `from` of an
// episode.
class Mistaken {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "mistake",
             .default_value = std::string("none"),
             .doc = "what it does wrong",
             .choices = {"none", "leaf_not_written", "element_not_written", "as_float32",
                         "as_int32", "beyond_the_end", "out_of_bounds", "nan", "discrete",
                         "reward_nan", "reward_inf", "info_element", "info_dtype", "info_beyond",
                         "not_const", "picture", "throws"}},
            {.name = "from",
             .default_value = std::int64_t{0},
             .doc = "steps of an episode before the mistake",
             .low = 0.0,
             .high = 100.0}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    constexpr float kAny = std::numeric_limits<float>::infinity();
    spec.observation = SpaceSpec::Dict({{"cell", SpaceSpec::Discrete(3, -1)},
                                        {"speed", SpaceSpec::Box<double>({2, 3}, -1.0, 1.0)},
                                        {"free", SpaceSpec::Box<float>({2}, -kAny, kAny)}});
    spec.action = SpaceSpec::Discrete(2);
    spec.infos = {{.name = "bumps", .dtype = DType::kInt64, .shape = {}},
                  {.name = "seen", .dtype = DType::kFloat32, .shape = {3}}};
    spec.render = RenderSpec{.height = 2, .width = 3, .fps = 10};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : mistake(options.Get<std::string>("mistake")), from(options.Get<std::int64_t>("from")) {}
    std::string mistake;
    std::int64_t from;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Mistaken(const Config& config) : config_(&config) {}

  void Reset(const Start&, Rng&) { steps_ = 0; }
  StepResult Step(ActionView, Rng&) {
    ++steps_;
    if (Makes("throws")) throw std::runtime_error("thrown by the environment");
    double reward = 1.0;
    if (Makes("reward_nan")) reward = std::nan("");
    if (Makes("reward_inf")) reward = -std::numeric_limits<double>::infinity();
    return {.reward = reward, .terminated = steps_ == 4};
  }

  void Observe(ObsRow row) const {
    *row.Data<std::int64_t>(0) = Makes("discrete") ? 2 : steps_ % 3 - 1;
    auto* const speed = row.Data<double>(1);
    if (Makes("as_float32")) {
      std::fill_n(row.Data<float>(1), 6, 0.5F);
    } else if (!Makes("leaf_not_written")) {
      const std::size_t n = Makes("beyond_the_end") ? 7 : 6;
      for (std::size_t i = 0; i < n; ++i) {
        if (i == 4 && Makes("element_not_written")) continue;
        speed[i] = 0.25;
      }
    }
    if (Makes("out_of_bounds")) speed[5] = 1.5;
    if (Makes("nan")) speed[2] = std::nan("");
    if (Makes("not_const")) speed[0] = ++observations_ % 2 == 0 ? 0.5 : 0.75;
    if (Makes("as_int32")) {
      std::fill_n(row.Data<std::int32_t>(2), 2, 7);
    } else {
      std::fill_n(row.Data<float>(2), 2, static_cast<float>(steps_));
    }
  }

  void Info(InfoRow row, bool) const {
    if (Makes("info_dtype")) {
      row.Set<std::int32_t>(0, 1);
    } else {
      row.Set<std::int64_t>(0, -1);
    }
    if (steps_ == 0) return;
    const std::size_t n = Makes("info_element") ? 2 : 3;
    std::fill_n(row.Data<float>(1), n, 0.5F);
    if (Makes("info_beyond")) row.Data<float>(1)[3] = 0.5F;
  }

  void Render(std::span<std::uint8_t> rgb) const {
    std::fill(rgb.begin(), rgb.end() - (Makes("picture") ? 3 : 0), std::uint8_t{9});
  }

 private:
  bool Makes(const char* mistake) const {
    return steps_ >= config_->from && config_->mistake == mistake;
  }

  const Config* config_;
  std::int64_t steps_ = 0;
  mutable std::int64_t observations_ = 0;
};

// Declares that Info sets every field, but it does not.
class SetsNotEveryInfo : public Mistaken {
 public:
  static constexpr bool kSetsEveryInfo = true;
  using Mistaken::Mistaken;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_MISTAKEN_H_
