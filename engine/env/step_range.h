// The environments that StepMany steps in one call (environment.h). Valid only during the call; one
// thread at a time.
#ifndef ENGINE_ENV_STEP_RANGE_H_
#define ENGINE_ENV_STEP_RANGE_H_

#include <cstdint>

#include "engine/base/rng.h"
#include "engine/control/step_result.h"
#include "engine/env/action_slots.h"

namespace engine {

// The flags of a StepResult, as bits. ENVPOOL_TERMINATED, ... in plugin_abi.h are the same.
struct EndBits {
  static constexpr std::uint8_t kTerminated = 1;
  static constexpr std::uint8_t kTruncated = 2;
  static constexpr std::uint8_t kGameContinues = 4;
  static constexpr std::uint8_t kReportAsTerminated = 8;
  static constexpr std::uint8_t kZeroDiscount = 16;
};

inline std::uint8_t EndsOf(const StepResult& result) {
  const auto bit = [](bool set, int value) { return set ? value : 0; };
  return static_cast<std::uint8_t>(bit(result.terminated, EndBits::kTerminated) |
                                   bit(result.truncated, EndBits::kTruncated) |
                                   bit(result.game_continues, EndBits::kGameContinues) |
                                   bit(result.report_as_terminated, EndBits::kReportAsTerminated) |
                                   bit(result.zero_discount, EndBits::kZeroDiscount));
}

// Item k of a range is environment ids[k], or first + k if ids is null.
struct StepItems {
  const std::uint32_t* ids;
  std::uint32_t first;
  std::uint32_t count;
  double* rewards;     // per item
  std::uint8_t* ends;  // per item: EndBits
};

template <class E>
class StepRange {
 public:
  // `envs` and `rngs` are the arrays of the whole group.
  StepRange(const StepItems& items, E* envs, Rng* rngs, const ActionSlots& actions)
      : items_(items), envs_(envs), rngs_(rngs), actions_(actions) {}

  // The number of items, at least 2: a single environment is stepped by Step. The items may be any
  // environments of the group; no environment occurs twice.
  std::uint32_t size() const { return items_.count; }
  E& env(std::uint32_t k) const { return envs_[Id(k)]; }
  Rng& rng(std::uint32_t k) const { return rngs_[Id(k)]; }
  ActionView action(std::uint32_t k) const { return actions_.Of(Id(k)); }
  ActionRow action_row(std::uint32_t k) const { return actions_.RowOf(Id(k)); }

  // Sets the result of item k. Every item needs a result.
  void Set(std::uint32_t k, const StepResult& result) const {
    items_.rewards[k] = result.reward;
    items_.ends[k] = EndsOf(result);
  }
  // The results as arrays of size() elements: rewards, and EndBits.
  double* rewards() const { return items_.rewards; }
  std::uint8_t* ends() const { return items_.ends; }

 private:
  std::uint32_t Id(std::uint32_t k) const {
    return items_.ids == nullptr ? items_.first + k : items_.ids[k];
  }

  const StepItems items_;
  E* const envs_;
  Rng* const rngs_;
  const ActionSlots& actions_;
};

}  // namespace engine

#endif  // ENGINE_ENV_STEP_RANGE_H_
