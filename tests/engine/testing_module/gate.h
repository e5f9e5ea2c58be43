// Testing/Gate-v0: a step with action g waits until gate g is open, so that a
// test decides what finishes when, without a clock. Gates are shared by the
// process; steps run on the pool's threads, gates are moved by the test's.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

#include "engine/env/environment.h"
#include "tests/engine/testing_module/heavy.h"

namespace engine::testing {

class Gates {
 public:
  static constexpr std::size_t kCount = 8;  // gate 0 is never used

  // Never destroyed: a worker may still wait here while the process exits.
  static Gates& Global() {
    static auto* gates = new Gates;
    return *gates;
  }

  void Set(std::size_t gate, bool open) {
    const std::lock_guard lock(mutex_);
    open_.at(gate) = open;
    changed_.notify_all();
  }
  void Pass(std::size_t gate) {
    std::unique_lock lock(mutex_);
    if (EscortsOthers()) {
      changed_.wait(lock, [&] { return open_.at(gate) || waiting_ > 0; });
      return;
    }
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_.at(gate); });
    --waiting_;
    changed_.notify_all();
  }
  // Whether the calling thread does not wait at gates itself, but only until
  // some other thread does: so a test's own thread, where it helps with a step,
  // leaves work to be waited for behind.
  static bool& EscortsOthers() {
    thread_local bool escorts = false;
    return escorts;
  }
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  // Returns once `count` steps wait at closed gates; false after `limit`.
  bool AwaitWaiting(int count, std::chrono::duration<double> limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [&] { return waiting_ == count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<bool, kCount> open_{};  // guarded by mutex_
  int waiting_ = 0;                  // guarded by mutex_
};

// Observation int64 (1,): the steps since the reset.
class Gate {
 public:
  static ParamSchema Options() {
    return {{.name = "work",
             .default_value = std::int64_t{0},
             .doc = "Iterations of arithmetic per step, about a nanosecond each.",
             .low = 0.0,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(static_cast<std::int64_t>(Gates::kCount));
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options) : work(options.Get<std::int64_t>("work")) {}
    std::int64_t work;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Gate(const Config& config) : config_(config) {}

  void Reset(const Start&, Rng&) { steps_ = 0; }
  StepResult Step(ActionView action, Rng&) {
    if (action.Index() != 0) Gates::Global().Pass(static_cast<std::size_t>(action.Index()));
    state_ = Churn(state_, config_.work);
    ++steps_;
    return {.reward = static_cast<double>(state_ & 1)};
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = steps_; }

 private:
  const Config& config_;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 1;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_
