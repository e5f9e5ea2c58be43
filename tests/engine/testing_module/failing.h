// Testing/Failing-v0: throws on request. The action of each environment decides, so a test chooses
// which environments fail. The pool's threads run it. The test's thread also uses the two counters.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_FAILING_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_FAILING_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "engine/env/environment.h"

namespace engine::testing {

// The number of constructions that will throw, process-wide.
inline std::atomic<std::int64_t>& FailingConstructions() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

// The number of live instances, process-wide. It shows an instance that is leaked or destroyed
// twice.
inline std::atomic<std::int64_t>& FailingInstances() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

// Observation int64 (2,): the steps since the reset and a random number.
class Failing {
 public:
  enum Action : std::uint8_t {
    kFine,
    kThrowInStep,     // std::runtime_error(message)
    kThrowIntInStep,  // not derived from std::exception
    kThrowInObserve,  // after the step
    kThrowInInfo,
    kThrowBytesInStep,  // a message that is not UTF-8
    kTerminate,
    kThrowInNextReset,  // the next reset of this instance throws
  };

  static ParamSchema Options() {
    return {{.name = "message",
             .default_value = std::string("told to fail"),
             .doc = "Message of the exceptions.",
             .low = std::nullopt,
             .high = std::nullopt},
            {.name = "fail_at_step",
             .default_value = std::int64_t{0},
             .doc = "Every environment throws at this step of an episode; 0: none.",
             .low = 0.0,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() {
    return {{.name = "fail",
             .default_value = false,
             .doc = "Whether the reset throws.",
             .low = std::nullopt,
             .high = std::nullopt}};
  }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({2}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(8);
    spec.infos = {{.name = "steps", .dtype = DType::kInt64, .shape = {}}};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : message(options.Get<std::string>("message")),
          fail_at_step(options.Get<std::int64_t>("fail_at_step")) {}
    std::string message;
    std::int64_t fail_at_step;
  };
  struct Start {
    explicit Start(const ParamValues& options) : fail(options.Get<bool>("fail")) {}
    bool fail;
  };

  explicit Failing(const Config& config) : config_(config) {
    std::atomic<std::int64_t>& failing = FailingConstructions();
    std::int64_t left = failing.load(std::memory_order_relaxed);
    while (left > 0) {
      if (failing.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) {
        throw std::runtime_error(config.message);
      }
    }
    FailingInstances().fetch_add(1, std::memory_order_relaxed);
  }
  ~Failing() { FailingInstances().fetch_sub(1, std::memory_order_relaxed); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

  void Reset(const Start& start, Rng& rng) {
    steps_ = 0;
    if (start.fail || last_action_ == kThrowInNextReset) throw std::runtime_error(config_.message);
    last_action_ = kFine;
    random_ = rng.Integers(std::int64_t{1} << 40);
  }

  StepResult Step(ActionView action, Rng& rng) {
    ++steps_;
    last_action_ = action.Index();
    random_ = rng.Integers(std::int64_t{1} << 40);
    if (last_action_ == kThrowInStep) throw std::runtime_error(config_.message);
    if (last_action_ == kThrowIntInStep) throw 42;
    if (last_action_ == kThrowBytesInStep) throw std::runtime_error("bytes \xff\xfe here");
    if (steps_ == config_.fail_at_step) throw std::runtime_error(config_.message);
    const bool ends = last_action_ == kTerminate || last_action_ == kThrowInNextReset;
    return {.reward = 1.0, .terminated = ends};
  }

  void Observe(ObsRow row) const {
    if (last_action_ == kThrowInObserve) throw std::runtime_error(config_.message);
    auto* out = row.Data<std::int64_t>();
    out[0] = steps_;
    out[1] = random_;
  }
  void Info(InfoRow row, bool) const {
    if (last_action_ == kThrowInInfo) throw std::runtime_error(config_.message);
    row.Set<std::int64_t>(0, steps_);
  }

 private:
  const Config& config_;
  std::int64_t steps_ = 0;
  std::int64_t random_ = 0;
  std::int64_t last_action_ = kFine;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_FAILING_H_
