// Environments of several players: one object that has an observation, an action and a reward for
// each of its players. A class with players has these members in place of Step and Observe of
// environment.h; everything else is the same:
//
//   class Duel {
//    public:
//     // Spec(options).players is set; observation and action are the spaces of one player.
//     static EnvSpec Spec(const ParamValues& options);
//     // Writes the reward and the end of each player into results[player], which are zero before.
//     // The result is that of the environment: its reward is not used, and its flags end the
//     // episode of all players.
//     StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng);
//     // Writes the observation of one player.
//     void Observe(std::size_t player, ObsRow row) const;
//
//     // Only if players->vary, and then required: whether a player takes part in the next step. It
//     // is called after Reset and after Step.
//     bool Plays(std::size_t player) const;
//     // Only if players->infos is not empty, and then required. Called after Observe.
//     void PlayerInfo(std::size_t player, InfoRow row) const;
//   };
//
// Players have numbers, 0 to players->most - 1. A player is in a result if it plays, or if it has
// ended in this step: then the result has its last observation, and it is absent afterwards. It may
// play again in a later step. All players end with the episode; the engine sets their flags. If the
// number of players is fixed, they end in no other way.
//
// What happens to the rows. In a batch, a row belongs to an environment, and the arrays of players
// have `most` rows for each of them, so queues, rows and executors do not know of players. A byte
// for each player says whether it is in the result. When the batch goes to Python, the rows of the
// absent players are removed in place: the caller gets arrays of the present players only, those of
// one environment together and in the order of their numbers. With a fixed number of players
// nothing moves. The caller gives one action for each row of the latest result of an environment;
// those of players that have ended are checked and not used.
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
  // It has played its last step, though the episode continues. A fixed player never has.
  bool terminated = false;
  bool truncated = false;

  bool ended() const { return terminated || truncated; }
};

// A player's place in the latest result of its environment.
enum class PlayerState : std::uint8_t {
  kAbsent,  // no row, no action
  kPlays,   // has a row, and acts in the next step
  kEnded,   // has a row; its action is not used
};

// The actions of the players of one environment, already checked against the action space. Valid
// during the call that gets it.
class PlayerActions {
 public:
  // Slots of the players, player 0 first: of `bytes` each, or rows of `columns`.
  PlayerActions(std::span<const PlayerState> states, const std::byte* base, std::size_t bytes,
                ActionColumns columns, std::uint32_t first_row)
      : states_(states), base_(base), bytes_(bytes), columns_(columns), first_row_(first_row) {}

  // The most players, as in the spec.
  std::size_t size() const { return states_.size(); }
  // Whether the player takes part in this step.
  bool Has(std::size_t player) const {
    return player < states_.size() && states_[player] == PlayerState::kPlays;
  }
  // The action of a player that takes part, if the action space has one leaf. In plug-ins, throws
  // Error{kInternal} for another player.
  ActionView Of(std::size_t player) const {
    if constexpr (kCheckedRows) Check(player);
    return ActionView(base_ + player * bytes_);
  }
  // The same, if the action space is a dict or a tuple.
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
  const std::byte* base_;
  std::size_t bytes_;
  ActionColumns columns_;
  std::uint32_t first_row_;
};

}  // namespace engine

#endif  // ENGINE_ENV_PLAYERS_H_
