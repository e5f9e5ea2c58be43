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

#include "engine/env/environment.h"

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
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_.at(gate); });
    --waiting_;
    changed_.notify_all();
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
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(static_cast<std::int64_t>(Gates::kCount));
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Gate(const Config&) {}

  void Reset(const Start&, Rng&) { steps_ = 0; }
  StepResult Step(ActionView action, Rng&) {
    if (action.Index() != 0) Gates::Global().Pass(static_cast<std::size_t>(action.Index()));
    ++steps_;
    return {.reward = 1.0};
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = steps_; }

 private:
  std::int64_t steps_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_
