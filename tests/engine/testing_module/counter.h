// Testing/Counter-v0: counts steps, draws one random number at the reset and one at every step, and
// has an option of every type. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_COUNTER_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/environment.h"

namespace engine::testing {

// Observation int64 (3,): the count; the number drawn at the reset, in [low, high] of the reset
// options; and the number drawn at the last step, in [0, 2^62 - 1], or 0 before the first step and
// without `draws`. Reward: count * scale + the sum of `weights`, negated for sign "negative".
class Counter {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "episode_length",
             .default_value = std::int64_t{10},
             .doc = "Steps until an episode terminates; 0: never.",
             .low = 0.0,
             .high = 1e12},
            {.name = "truncates_at",
             .default_value = std::int64_t{0},
             .doc = "Steps after which it truncates its episode itself; 0: never.",
             .low = 0.0,
             .high = 1e12},
            {.name = "draws",
             .default_value = true,
             .doc = "Whether a step draws a random number.",
             .low = std::nullopt,
             .high = std::nullopt},
            {.name = "scale",
             .default_value = 1.0,
             .doc = "Factor of the reward.",
             .low = -100.0,
             .high = 100.0},
            {.name = "sign",
             .default_value = std::string("positive"),
             .doc = "Sign of the reward.",
             .low = std::nullopt,
             .high = std::nullopt,
             .choices = {"positive", "negative"}},
            {.name = "label",
             .default_value = std::string("counter"),
             .doc = "Any text; infos give its size in bytes.",
             .low = std::nullopt,
             .high = std::nullopt},
            {.name = "increments",
             .default_value = std::vector<std::int64_t>{1},
             .doc = "What the steps add to the count, in turn.",
             .low = 0.0,
             .high = 1000.0},
            {.name = "weights",
             .default_value = std::vector<double>{},
             .doc = "Added to every reward.",
             .low = std::nullopt,
             .high = std::nullopt,
             .one_is_list = true}};
  }
  static ParamSchema ResetOptions() {
    return {{.name = "low",
             .default_value = std::int64_t{0},
             .doc = "Least number to draw at the reset.",
             .low = std::nullopt,
             .high = std::nullopt},
            {.name = "high",
             .default_value = std::int64_t{1'000'000},
             .doc = "Greatest number to draw at the reset.",
             .low = std::nullopt,
             .high = std::nullopt}};
  }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({3}, std::numeric_limits<std::int64_t>::min(),
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(2);
    spec.infos = {{.name = "label_bytes", .dtype = DType::kInt64, .shape = {}}};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : episode_length(options.Get<std::int64_t>("episode_length")),
          truncates_at(options.Get<std::int64_t>("truncates_at")),
          draws(options.Get<bool>("draws")),
          scale(options.Get<double>("scale")),
          label_bytes(static_cast<std::int64_t>(options.Get<std::string>("label").size())),
          increments(options.Get<std::vector<std::int64_t>>("increments")) {
      if (increments.empty()) {
        throw Error(ErrorKind::kOption, "Counter-v0: option 'increments' must not be empty");
      }
      if (options.Get<std::string>("sign") == "negative") scale = -scale;
      const auto& weights = options.Get<std::vector<double>>("weights");
      bonus = std::accumulate(weights.begin(), weights.end(), 0.0);
    }
    std::int64_t episode_length;
    std::int64_t truncates_at;
    bool draws;
    double scale;
    double bonus = 0.0;
    std::int64_t label_bytes;
    std::vector<std::int64_t> increments;
  };
  struct Start {
    explicit Start(const ParamValues& options)
        : low(options.Get<std::int64_t>("low")), high(options.Get<std::int64_t>("high")) {
      if (low > high) {
        throw Error(ErrorKind::kOption, "Counter-v0: reset option 'low' must not be above 'high'");
      }
    }
    std::int64_t low;
    std::int64_t high;
  };

  explicit Counter(const Config& config) : config_(config) {}

  void Reset(const Start& start, Rng& rng) {
    step_ = 0;
    count_ = 0;
    drawn_at_reset_ = rng.IntegersInclusive(start.low, start.high);
    drawn_at_step_ = 0;
  }

  StepResult Step(ActionView, Rng& rng) {
    const auto turn = static_cast<std::size_t>(step_) % config_.increments.size();
    count_ += config_.increments[turn];
    ++step_;
    if (config_.draws) drawn_at_step_ = rng.Integers(std::int64_t{1} << 62);
    return {.reward = static_cast<double>(count_) * config_.scale + config_.bonus,
            .terminated = step_ == config_.episode_length,
            .truncated = step_ == config_.truncates_at};
  }

  void Observe(ObsRow row) const {
    auto* out = row.Data<std::int64_t>();
    out[0] = count_;
    out[1] = drawn_at_reset_;
    out[2] = drawn_at_step_;
  }
  void Info(InfoRow row, bool) const { row.Set<std::int64_t>(0, config_.label_bytes); }

 private:
  const Config& config_;
  std::int64_t step_ = 0;
  std::int64_t count_ = 0;
  std::int64_t drawn_at_reset_ = 0;
  std::int64_t drawn_at_step_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_COUNTER_H_
