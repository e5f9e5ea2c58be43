// Testing/CountThread-v0: shows which thread stepped it, and can hold a step until a given number
// of threads are stepping at once. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_COUNT_THREAD_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_COUNT_THREAD_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

#include "engine/env/environment.h"
#include "tests/engine/testing_module/heavy.h"

namespace engine::testing {

// The number of the calling thread. Numbers start at 1 and are unique in the process.
inline std::int64_t ThreadNumber() {
  static std::atomic<std::int64_t> last{0};
  thread_local const std::int64_t number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

// A meeting point for steps.
class Rendezvous {
 public:
  static Rendezvous& Global() {
    static auto* rendezvous = new Rendezvous;
    return *rendezvous;
  }

  // Returns true when `count` calls are inside at once, counted in groups. Returns false after a
  // minute, and the test has then failed.
  bool Meet(std::int64_t count) {
    std::unique_lock lock(mutex_);
    const std::int64_t group = arrived_++ / count;
    if (arrived_ % count == 0) met_.notify_all();
    return met_.wait_for(lock, std::chrono::minutes(1),
                         [&] { return arrived_ >= (group + 1) * count; });
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    arrived_ = 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable met_;
  std::int64_t arrived_ = 0;  // since Clear(); guarded by mutex_
};

// Observation int64 (2,): the number of the thread that made the last step (0 after a reset) and of
// the thread that made the environment. With action 1, the step waits until `meet` threads are
// stepping. If Meet() fails, the observation shows -1 in place of the thread.
class CountThread {
 public:
  static ParamSchema Options() {
    return {{.name = "work",
             .default_value = std::int64_t{0},
             .doc = "Iterations of arithmetic per step, about a nanosecond each.",
             .low = 0.0,
             .high = std::nullopt},
            {.name = "meet",
             .default_value = std::int64_t{1},
             .doc = "Threads that must be stepping at once for action 1.",
             .low = 1.0,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({2}, std::int64_t{-1},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(2);
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : work(options.Get<std::int64_t>("work")), meet(options.Get<std::int64_t>("meet")) {}
    std::int64_t work;
    std::int64_t meet;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit CountThread(const Config& config) : config_(config), maker_(ThreadNumber()) {}

  void Reset(const Start&, Rng&) { stepper_ = 0; }
  StepResult Step(ActionView action, Rng&) {
    stepper_ = ThreadNumber();
    if (action.Index() == 1 && !Rendezvous::Global().Meet(config_.meet)) stepper_ = -1;
    state_ = Churn(state_, config_.work);
    return {.reward = static_cast<double>(state_ & 1)};
  }
  void Observe(ObsRow row) const {
    auto* out = row.Data<std::int64_t>();
    out[0] = stepper_;
    out[1] = maker_;
  }

 private:
  const Config& config_;
  const std::int64_t maker_;
  std::int64_t stepper_ = 0;
  std::uint64_t state_ = 1;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_COUNT_THREAD_H_
