// The environments that StepMany steps in one call (environment.h). Valid only during the call; one
// thread at a time.
#ifndef ENGINE_ENV_STEP_RANGE_H_
#define ENGINE_ENV_STEP_RANGE_H_

#include <cstddef>
#include <cstdint>

#include "engine/base/rng.h"
#include "engine/control/step_result.h"
#include "engine/env/abi.h"
#include "engine/env/action_row.h"
#include "engine/env/env_group.h"
#include "engine/env/rows.h"

namespace engine {

// Converts the flags of a result to the bits of envpool_step::ends.
inline std::uint8_t EndsOf(const StepResult& result) {
  const auto bit = [](bool set, int value) { return set ? value : 0; };
  return static_cast<std::uint8_t>(bit(result.terminated, ENVPOOL_TERMINATED) |
                                   bit(result.truncated, ENVPOOL_TRUNCATED) |
                                   bit(result.game_continues, ENVPOOL_GAME_CONTINUES) |
                                   bit(result.report_as_terminated, ENVPOOL_REPORT_TERMINATED) |
                                   bit(result.zero_discount, ENVPOOL_ZERO_DISCOUNT));
}

template <class E>
class StepRange {
 public:
  // `envs` and `rngs` are the arrays of the whole group.
  StepRange(const envpool_step& call, E* envs, Rng* rngs, const ActionSlots& actions)
      : call_(call), envs_(envs), rngs_(rngs), actions_(actions) {}

  // The number of items, at least 2: a single environment is stepped by Step. The items may be any
  // environments of the group; no environment occurs twice.
  std::uint32_t size() const { return call_.items.count; }
  E& env(std::uint32_t k) const { return envs_[Id(k)]; }
  Rng& rng(std::uint32_t k) const { return rngs_[Id(k)]; }
  ActionView action(std::uint32_t k) const { return actions_.Of(Id(k)); }
  ActionRow action_row(std::uint32_t k) const { return actions_.RowOf(Id(k)); }

  // Sets the result of item k. Every item needs a result.
  void Set(std::uint32_t k, const StepResult& result) const {
    call_.rewards[k] = result.reward;
    call_.ends[k] = EndsOf(result);
  }
  // The results as arrays of size() elements: rewards, and bits ENVPOOL_TERMINATED, ... (abi.h).
  double* rewards() const { return call_.rewards; }
  std::uint8_t* ends() const { return call_.ends; }

 private:
  std::uint32_t Id(std::uint32_t k) const { return envpool_env(&call_.items, k); }

  const envpool_step& call_;
  E* const envs_;
  Rng* const rngs_;
  const ActionSlots& actions_;
};

}  // namespace engine

#endif  // ENGINE_ENV_STEP_RANGE_H_
