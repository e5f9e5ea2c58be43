// Testing/Gate-v0: a step with action g waits until gate g is open. So a test controls the order in
// which calls finish, without a clock. Resets, pictures and constructions wait at gates that
// options name. The process shares the gates. Steps run on the pool's threads, and the test's
// thread opens and closes gates.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "engine/env/environment.h"
#include "tests/engine/testing_module/heavy.h"
#include "tests/engine/testing_module/inside.h"

namespace engine::testing {

class Gates {
 public:
  static constexpr std::size_t kCount = 8;  // gate 0 means no gate

  // Never destroyed, because a worker may still wait here while the process exits.
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
  // Whether the calling thread waits at a gate only until another thread waits at one. So a
  // test's thread that helps with steps returns and leaves unfinished work to wait for.
  static bool& EscortsOthers() {
    thread_local bool escorts = false;
    return escorts;
  }
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  // Returns true when `count` steps wait at closed gates, or false after `limit`.
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

// The number of live instances of Gate-v0, process-wide.
inline std::atomic<std::int64_t>& GateInstances() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

// Observation int64 (1,): the steps since the reset. The first byte of the picture is the same
// number.
class Gate {
 public:
  static ParamSchema Options() {
    const auto work = [](const char* name, const char* what) {
      return ParamSpec{
          .name = name,
          .default_value = std::int64_t{0},
          .doc = std::string("Iterations of arithmetic per ") + what + ", about a nanosecond each.",
          .low = 0.0,
          .high = std::nullopt};
    };
    const auto gate = [](const char* name, const char* what) {
      return ParamSpec{.name = name,
                       .default_value = std::int64_t{0},
                       .doc = std::string("Gate at which every ") + what + " waits; 0: none.",
                       .low = 0.0,
                       .high = static_cast<double>(Gates::kCount - 1)};
    };
    return {work("work", "step"),          work("reset_work", "reset"),
            work("render_work", "render"), gate("reset_gate", "reset"),
            gate("render_gate", "render"), gate("construct_gate", "construction")};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(static_cast<std::int64_t>(Gates::kCount));
    spec.render = RenderSpec{.height = 1, .width = 1, .fps = 1};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : work(options.Get<std::int64_t>("work")),
          reset_work(options.Get<std::int64_t>("reset_work")),
          render_work(options.Get<std::int64_t>("render_work")),
          reset_gate(options.Get<std::int64_t>("reset_gate")),
          render_gate(options.Get<std::int64_t>("render_gate")),
          construct_gate(options.Get<std::int64_t>("construct_gate")) {}
    std::int64_t work;
    std::int64_t reset_work;
    std::int64_t render_work;
    std::int64_t reset_gate;
    std::int64_t render_gate;
    std::int64_t construct_gate;
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Gate(const Config& config) : config_(config) {
    Pass(config.construct_gate);
    GateInstances().fetch_add(1, std::memory_order_relaxed);
  }
  ~Gate() { GateInstances().fetch_sub(1, std::memory_order_relaxed); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void Reset(const Start&, Rng&) {
    const Inside inside(occupied_);
    Pass(config_.reset_gate);
    state_ = Churn(state_, config_.reset_work);
    steps_ = 0;
  }
  StepResult Step(ActionView action, Rng&) {
    const Inside inside(occupied_);
    Pass(action.Index());
    state_ = Churn(state_, config_.work);
    ++steps_;
    return {.reward = static_cast<double>(state_ & 1)};
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = steps_; }
  void Render(std::span<std::uint8_t> rgb) const {
    const Inside inside(occupied_);
    Pass(config_.render_gate);
    // Volatile, so that the compiler does not remove the work, which the picture does not show.
    [[maybe_unused]] const volatile std::uint64_t worked = Churn(state_, config_.render_work);
    rgb[0] = rgb[1] = rgb[2] = static_cast<std::uint8_t>(steps_);
  }

 private:
  static void Pass(std::int64_t gate) {
    if (gate != 0) Gates::Global().Pass(static_cast<std::size_t>(gate));
  }

  const Config& config_;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 1;
  mutable Occupied occupied_{false};
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_GATE_H_
