// Testing/Serial-v0: numbers its own calls, so that a test can tell from the rows alone which rows
// were delivered and which work was done. The pool's threads run it.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_SERIAL_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_SERIAL_H_

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "engine/env/environment.h"
#include "tests/engine/testing_module/heavy.h"
#include "tests/engine/testing_module/inside.h"

namespace engine::testing {

// Observation int64 (3,): the environment's number (from 1, unique in the process), its serial
// number (the calls of Step and Reset so far) and the steps since the reset. The first 16 bytes of
// the picture are the first two numbers. An instance that replaces one that threw continues with
// its numbers.
class Serial {
 public:
  enum Action : std::uint8_t {
    kLight,
    kHeavy,  // `work` iterations of arithmetic
    kThrow,  // after numbering the call
  };

  static ParamSchema Options() {
    return {{.name = "work",
             .default_value = std::int64_t{100'000},
             .doc = "Iterations of a heavy step, about a nanosecond each.",
             .low = 0.0,
             .high = std::nullopt}};
  }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({3}, std::int64_t{0},
                                                    std::numeric_limits<std::int64_t>::max());
    spec.action = SpaceSpec::Discrete(3);
    spec.render = RenderSpec{.height = 1, .width = 8, .fps = 1};
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : work(options.Get<std::int64_t>("work")), number(NextNumber()) {}
    std::int64_t work;
    std::int64_t number;  // identifies the pool
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Serial(const Config& config) : config_(config) {
    const Destroyed& destroyed = LastDestroyed();
    if (destroyed.place == this && destroyed.config == config.number) {
      number_ = destroyed.number;
      serial_ = destroyed.serial;
    } else {
      number_ = NextNumber();
    }
  }
  ~Serial() {
    LastDestroyed() = {
        .place = this, .config = config_.number, .number = number_, .serial = serial_};
  }
  Serial(const Serial&) = delete;
  Serial& operator=(const Serial&) = delete;

  void Reset(const Start&, Rng&) {
    const Inside inside(occupied_);
    ++serial_;
    steps_ = 0;
  }
  StepResult Step(ActionView action, Rng&) {
    const Inside inside(occupied_);
    ++serial_;
    if (action.Index() == kThrow) throw std::runtime_error("told to fail");
    if (action.Index() == kHeavy) state_ = Churn(state_, config_.work);
    ++steps_;
    return {.reward = static_cast<double>(state_ & 1)};
  }
  void Observe(ObsRow row) const {
    const Inside inside(occupied_);
    auto* out = row.Data<std::int64_t>();
    out[0] = number_;
    out[1] = serial_;
    out[2] = steps_;
  }
  void Render(std::span<std::uint8_t> rgb) const {
    const Inside inside(occupied_);
    const std::int64_t shown[] = {number_, serial_};
    std::memset(rgb.data(), 0, rgb.size());
    std::memcpy(rgb.data(), shown, sizeof(shown));
  }

 private:
  // State of the last instance that the calling thread destroyed. The same thread makes the
  // replacing instance right afterwards, at the same address.
  struct Destroyed {
    const void* place;
    std::int64_t config;
    std::int64_t number;
    std::int64_t serial;
  };
  static Destroyed& LastDestroyed() {
    thread_local Destroyed destroyed{};
    return destroyed;
  }
  static std::int64_t NextNumber() {
    static std::atomic<std::int64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const Config& config_;
  std::int64_t number_ = 0;
  std::int64_t serial_ = 0;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 1;
  mutable Occupied occupied_{false};
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_SERIAL_H_
