// The actions of all environments of a group, already checked against the action space. Valid only
// during the call that receives them.
#ifndef ENGINE_ENV_ACTION_SLOTS_H_
#define ENGINE_ENV_ACTION_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/action_row.h"
#include "engine/env/players.h"
#include "engine/env/rows.h"

namespace engine {

// One action per environment, at base + env * bytes. With players, one action per player: rows
// [env * max_players, (env + 1) * max_players) have the actions of environment `env`.
struct ActionSlots {
  const std::byte* base = nullptr;
  std::size_t bytes = 0;
  DType dtype = DType::kInt64;  // of the elements
  // Only for environments with StepFloat64 or players with kKeepsFloat64: float64 actions, at
  // float64_base + row * 2 * bytes. is_float64[row] is not 0 if the row has one. Otherwise null.
  const std::byte* float64_base = nullptr;
  const std::uint8_t* is_float64 = nullptr;
  // Only for environments that read an ActionRow; used instead of the members above.
  ActionColumns columns = {};

  ActionView Of(std::uint32_t env) const { return ActionView(base + env * bytes, dtype); }
  ActionView Float64Of(std::uint32_t env) const {
    return ActionView(float64_base + env * (2 * bytes), DType::kFloat64);
  }
  ActionRow RowOf(std::uint32_t env) const { return {columns, env}; }
  PlayerActions PlayersOf(std::uint32_t env, std::span<const PlayerState> states) const {
    const auto first = static_cast<std::uint32_t>(env * states.size());
    PlayerSlots slots = {.base = base + first * bytes, .bytes = bytes, .dtype = dtype};
    if (float64_base != nullptr) {
      slots.float64_base = float64_base + first * (2 * bytes);
      slots.is_float64 = is_float64 + first;
    }
    return {states, slots, columns, first};
  }
};

}  // namespace engine

#endif  // ENGINE_ENV_ACTION_SLOTS_H_
