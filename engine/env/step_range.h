// The environments that StepMany steps in one call (environment.h). Valid only during the call; one
// thread at a time.
#ifndef ENGINE_ENV_STEP_RANGE_H_
#define ENGINE_ENV_STEP_RANGE_H_

#include <cstddef>
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
  // Not of a StepResult: StepMany leaves the item to Step. Not in plugin_abi.h.
  static constexpr std::uint8_t kNotStepped = 128;
};

inline std::uint8_t EndsOf(const StepResult& result) {
  const auto bit = [](bool set, int value) { return set ? value : 0; };
  return static_cast<std::uint8_t>(bit(result.terminated, EndBits::kTerminated) |
                                   bit(result.truncated, EndBits::kTruncated) |
                                   bit(result.game_continues, EndBits::kGameContinues) |
                                   bit(result.report_as_terminated, EndBits::kReportAsTerminated) |
                                   bit(result.zero_discount, EndBits::kZeroDiscount));
}

inline StepResult ResultOf(double reward, std::uint8_t ends) {
  return {.reward = reward,
          .terminated = (ends & EndBits::kTerminated) != 0,
          .game_continues = (ends & EndBits::kGameContinues) != 0,
          .truncated = (ends & EndBits::kTruncated) != 0,
          .report_as_terminated = (ends & EndBits::kReportAsTerminated) != 0,
          .zero_discount = (ends & EndBits::kZeroDiscount) != 0};
}

// Item k of a range is environment ids[k], or first + k if ids is null.
struct StepItems {
  const std::uint32_t* ids;
  std::uint32_t first;
  std::uint32_t count;
  double* rewards;     // per item
  std::uint8_t* ends;  // per item: EndBits
};

// The most items of a StepRange.
inline constexpr std::uint32_t kMostTogether = 64;

template <class E>
class StepRange {
 public:
  // `envs` and `rngs` are the arrays of the whole group. Two environments that follow each other
  // are `env_bytes` apart.
  StepRange(const StepItems& items, E* envs, std::size_t env_bytes, Rng* rngs,
            const ActionSlots& actions)
      : items_(items),
        envs_(reinterpret_cast<std::byte*>(envs)),
        env_bytes_(env_bytes),
        rngs_(rngs),
        actions_(actions) {}

  // The number of items, from 2 to kMostTogether: a single environment is stepped by Step. The
  // items may be any environments of the group; no environment occurs twice.
  std::uint32_t size() const { return items_.count; }
  E& env(std::uint32_t k) const {
    return *reinterpret_cast<E*>(envs_ + std::size_t{Id(k)} * env_bytes_);
  }
  Rng& rng(std::uint32_t k) const { return rngs_[Id(k)]; }
  ActionView action(std::uint32_t k) const { return actions_.Of(Id(k)); }
  ActionRow action_row(std::uint32_t k) const { return actions_.RowOf(Id(k)); }

  // Only for a class with StepFloat64: whether the action of item k is float64, and that action.
  bool is_float64(std::uint32_t k) const { return actions_.is_float64[Id(k)] != 0; }
  ActionView float64_action(std::uint32_t k) const { return actions_.Float64Of(Id(k)); }

  // Sets the result of item k. Every item needs a result, or is left.
  void Set(std::uint32_t k, const StepResult& result) const {
    items_.rewards[k] = result.reward;
    items_.ends[k] = EndsOf(result);
  }
  // Leaves item k to Step, which the engine calls after StepMany: for an environment that may
  // throw, or whose state is a rare case. Nothing of it may have changed.
  void Leave(std::uint32_t k) const { items_.ends[k] = EndBits::kNotStepped; }
  // The results as arrays of size() elements: rewards, and EndBits.
  double* rewards() const { return items_.rewards; }
  std::uint8_t* ends() const { return items_.ends; }

 private:
  std::uint32_t Id(std::uint32_t k) const {
    return items_.ids == nullptr ? items_.first + k : items_.ids[k];
  }

  const StepItems items_;
  std::byte* const envs_;
  const std::size_t env_bytes_;
  Rng* const rngs_;
  const ActionSlots& actions_;
};

}  // namespace engine

#endif  // ENGINE_ENV_STEP_RANGE_H_
