// Testing/Picture-v0: an environment that renders and counts the calls. The pool's threads run it.
// The test's thread also uses the counters.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_PICTURE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_PICTURE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "engine/env/environment.h"
#include "tests/engine/testing_module/gate.h"
#include "tests/engine/testing_module/heavy.h"
#include "tests/engine/testing_module/pattern.h"

namespace engine::testing {

// The numbers of calls of Render and EnableRender of all instances, process-wide.
struct PictureCalls {
  std::atomic<std::int64_t> renders{0};
  std::atomic<std::int64_t> enables{0};

  static PictureCalls& Global() {
    static auto* calls = new PictureCalls;
    return *calls;
  }
};

// Observation int64 (2,): a number drawn at the reset, and the steps since the reset. Byte i of the
// picture is Pattern(number, steps, 0, i). The episode ends after `episode_length` steps.
class Picture {
 public:
  enum Action : std::uint8_t {
    kFine,
    kThrowInRender,  // renders until the next step throw
    kThrowInStep,
    kGateInRender,  // renders until the next step wait until gate 1 is open
  };

  static ParamSchema Options() {
    const auto size = [](const char* name, std::int64_t value, const char* doc) {
      return ParamSpec{
          .name = name, .default_value = value, .doc = doc, .low = 1.0, .high = 10000.0};
    };
    const auto count = [](const char* name, std::int64_t value, const char* doc) {
      return ParamSpec{
          .name = name, .default_value = value, .doc = doc, .low = 0.0, .high = std::nullopt};
    };
    return {size("height", 3, "Rows of the picture."), size("width", 5, "Pixels of a row."),
            count("episode_length", 0, "Steps until an episode terminates; 0: never."),
            count("work", 0, "Iterations of arithmetic per picture, about a nanosecond each.")};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({2}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(4);
    spec.render = RenderSpec{.height = options.Get<std::int64_t>("height"),
                             .width = options.Get<std::int64_t>("width"),
                             .fps = 12};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : episode_length(options.Get<std::int64_t>("episode_length")),
          work(options.Get<std::int64_t>("work")) {}
    std::int64_t episode_length;
    std::int64_t work;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Picture(const Config& config) : config_(config) {}

  void EnableRender() {
    enabled_ = true;
    PictureCalls::Global().enables.fetch_add(1, std::memory_order_relaxed);
  }
  void Reset(const Start&, Rng& rng) {
    number_ = rng.Integers(std::int64_t{1} << 40);
    steps_ = 0;
    last_action_ = kFine;
  }
  StepResult Step(ActionView action, Rng&) {
    last_action_ = action.Index();
    if (last_action_ == kThrowInStep) throw std::runtime_error("told to fail");
    ++steps_;
    return {.reward = 1.0, .terminated = steps_ == config_.episode_length};
  }
  void Observe(ObsRow row) const {
    auto* out = row.Data<std::int64_t>();
    out[0] = number_;
    out[1] = steps_;
  }
  void Render(std::span<std::uint8_t> rgb) const {
    if (!enabled_) throw std::logic_error("Render without EnableRender");
    PictureCalls::Global().renders.fetch_add(1, std::memory_order_relaxed);
    // A failure leaves the picture half drawn. The pool must return a black one.
    const std::size_t half = rgb.size() / 2;
    [[maybe_unused]] const volatile std::uint64_t worked = Churn(0, config_.work);
    const auto token = static_cast<std::uint64_t>(number_);
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      if (i == half && last_action_ == kThrowInRender) throw std::runtime_error("no paint");
      if (i == half && last_action_ == kGateInRender) Gates::Global().Pass(1);
      rgb[i] = static_cast<std::uint8_t>(Pattern(token, static_cast<std::uint64_t>(steps_), 0, i));
    }
  }

 private:
  const Config& config_;
  bool enabled_ = false;
  std::int64_t number_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t last_action_ = kFine;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_PICTURE_H_
