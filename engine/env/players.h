// Environments of several players: one object that has an observation, an action and a reward for
// each of its players. A class with players has these members in place of Step and Observe of
// environment.h; everything else is the same:
//
//   class Duel {
//    public:
//     // Spec(options).players is set; observation and action are the spaces of one player.
//     static EnvSpec Spec(const ParamValues& options);
//     // Writes the reward and the end flags of each player to results[player], which is zero
//     // before the call. Returns the result of the environment: its flags end the episode of all
//     // players, and its reward is not used.
//     StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng);
//     // Writes the observation of one player.
//     void Observe(std::size_t player, ObsRow row) const;
//
//     // Required if players->vary; otherwise not called. Returns whether a player takes part in
//     // the next step. Called after Reset and after Step.
//     bool Plays(std::size_t player) const;
//     // Required if players->infos is not empty. Called after Observe.
//     void PlayerInfo(std::size_t player, InfoRow row) const;
//     // Only if float32 boxes of the action space keep the values of float64 and integer actions:
//     // see PlayerActions::IsFloat64. Otherwise they are rounded to float32.
//     static constexpr bool kKeepsFloat64 = true;
//   };
//
// Players are numbered from 0 to players->max_players - 1. A result includes the players that play,
// and the players that ended in this step, with their last observation. A player that has ended is
// absent from later results, unless it plays again. All players end with the episode; the engine
// sets their flags. If the number of players is fixed, a player cannot end before the episode.
//
// Rows. In a batch, each environment has one row, and the player arrays have `max_players` rows for
// each environment. So queues and executors handle rows of environments, with or without players.
// One byte per player marks whether the result includes the player. When a batch is returned to
// Python, the rows of absent players are removed in place: the caller gets arrays of the present
// players only, grouped by environment and in the order of their numbers. With a fixed number of
// players no row is moved.
// The caller gives one action for each row of the latest result of an environment; the actions of
// players that have ended are checked and not used.
#ifndef ENGINE_ENV_PLAYERS_H_
#define ENGINE_ENV_PLAYERS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/action_row.h"
#include "engine/env/rows.h"

namespace engine {

// The result of one step for one player.
struct PlayerResult {
  double reward = 0.0;
  // Set by the class if the player has played its last step while the episode continues. Not
  // allowed for fixed players.
  bool terminated = false;
  bool truncated = false;

  bool ended() const { return terminated || truncated; }
};

// A player's state in the latest result of its environment.
enum class PlayerState : std::uint8_t {
  kAbsent,  // no row, no action
  kPlays,   // has a row, and acts in the next step
  kEnded,   // has a row; its action is not used
};

// The actions of the players of one environment, player 0 first, if the action space has one leaf.
struct PlayerSlots {
  const std::byte* base = nullptr;
  std::size_t bytes = 0;        // of one action
  DType dtype = DType::kInt64;  // of the elements
  // Only with kKeepsFloat64: float64 actions, of 2 * bytes. is_float64[player] is not 0 if the
  // player has one.
  const std::byte* float64_base = nullptr;
  const std::uint8_t* is_float64 = nullptr;
};

// The actions of the players of one environment, already checked against the action space. Valid
// only during the call that receives them.
class PlayerActions {
 public:
  // The players' actions are `slots`, or rows of `columns` from `first_row` on.
  PlayerActions(std::span<const PlayerState> states, const PlayerSlots& slots,
                ActionColumns columns, std::uint32_t first_row)
      : states_(states), slots_(slots), columns_(columns), first_row_(first_row) {}

  // The maximum number of players, as in the spec.
  std::size_t size() const { return states_.size(); }
  // Whether the player takes part in this step.
  bool Has(std::size_t player) const {
    return player < states_.size() && states_[player] == PlayerState::kPlays;
  }
  // The action of a player that takes part, if the action space has one leaf. In plug-ins, throws
  // Error{kInternal} if the player does not take part.
  ActionView Of(std::size_t player) const {
    if constexpr (kCheckedRows) Check(player);
    if (IsFloat64(player)) [[unlikely]]
      return ActionView(slots_.float64_base + player * (2 * slots_.bytes), DType::kFloat64);
    return ActionView(slots_.base + player * slots_.bytes, slots_.dtype);
  }
  // Whether the action that `Of` returns is kept in float64, because the caller gave float64 or
  // integers. False unless the class sets kKeepsFloat64.
  bool IsFloat64(std::size_t player) const {
    return slots_.is_float64 != nullptr && slots_.is_float64[player] != 0;
  }
  // As Of, if the action space is a dict or a tuple.
  ActionRow RowOf(std::size_t player) const {
    if constexpr (kCheckedRows) Check(player);
    return {columns_, first_row_ + static_cast<std::uint32_t>(player)};
  }

 private:
  void Check(std::size_t player) const {
    if (!Has(player)) [[unlikely]]
      ThrowNoAction(player);
  }
  [[noreturn]] void ThrowNoAction(std::size_t player) const;

  std::span<const PlayerState> states_;
  PlayerSlots slots_;
  ActionColumns columns_;
  std::uint32_t first_row_;
};

}  // namespace engine

#endif  // ENGINE_ENV_PLAYERS_H_
