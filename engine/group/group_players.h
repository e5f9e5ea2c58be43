// Steps and observes the players of the environments of one type, and updates the PlayerTable. For
// a type without players, every method except Step and Observe does nothing, so EnvGroupOf can call
// them for any type. Methods that take an environment's number are called only by the thread that
// holds the environment.
#ifndef ENGINE_GROUP_GROUP_PLAYERS_H_
#define ENGINE_GROUP_GROUP_PLAYERS_H_

#include <cstddef>
#include <cstdint>

#include "engine/base/rng.h"
#include "engine/control/episode_control.h"
#include "engine/env/environment.h"
#include "engine/group/batch_view.h"
#include "engine/group/env_group.h"
#include "engine/group/player_table.h"

namespace engine {

template <class E>
class GroupPlayers {
 public:
  // `table`: null for a type without players.
  explicit GroupPlayers(PlayerTable* table) : table_(table) {}

  // Call it before a reset that is not part of a step.
  void ClearResults(std::uint32_t env) const {
    if constexpr (StepsPlayers<E>) table_->ClearResults(env);
  }

  // Returns the result of the step. Its reward is the sum of the players' rewards.
  StepResult Step(E& instance, std::uint32_t env, const ActionSlots& actions, Rng& rng) const
    requires StepsPlayers<E>
  {
    table_->ClearResults(env);
    StepResult result =
        instance.Step(actions.PlayersOf(env, table_->States(env)), table_->Results(env), rng);
    result.reward = table_->TotalReward(env);
    return result;
  }

  // Call it after a step; `outcome` is the outcome of this step.
  void EndStep(std::uint32_t env, const Outcome& outcome, const E& instance) const {
    if constexpr (StepsPlayers<E>) table_->EndStep(env, outcome, PlaysIn(instance));
  }

  void Restarted(std::uint32_t env, bool new_game) const {
    if constexpr (StepsPlayers<E>) table_->Restarted(env, new_game);
  }

  // Call it if a reset could not continue the game, because the game has ended.
  void EndGame(std::uint32_t env) const {
    if constexpr (StepsPlayers<E>) table_->EndGame(env);
  }

  void WriteEpisode(std::uint32_t env, std::uint32_t row, const Outcome& outcome,
                    const BatchView& out) const {
    if constexpr (StepsPlayers<E>) {
      if (out.player_episode != nullptr && outcome.game_over)
        table_->WriteEpisode(env, row, *out.player_episode);
    }
  }

  // Clears the rewards of a row that does not follow a step.
  void ClearRewards(std::uint32_t row, const BatchView& out) const {
    if constexpr (StepsPlayers<E>) table_->ClearRewards(row, *out.frame.players);
  }

  // Writes the rows of the players in this result. `clear_infos(row)` clears the infos of player
  // row `row`.
  template <class ClearInfos>
  void Observe(const E& instance, std::uint32_t env, std::uint32_t row, const FrameColumns& frame,
               const RowFields& obs_fields, const RowFields& info_fields,
               const ClearInfos& clear_infos) const
    requires StepsPlayers<E>
  {
    const auto states = table_->WriteRow(env, row, *frame.players, PlaysIn(instance));
    for (std::size_t player = 0; player < states.size(); ++player) {
      if (states[player] == PlayerState::kAbsent) continue;
      const std::size_t player_row = row * states.size() + player;
      instance.Observe(player, ObsRow(frame.obs, player_row, &obs_fields));
      if constexpr (HasPlayerInfo<E>) {
        clear_infos(player_row);
        instance.PlayerInfo(player, InfoRow(frame.players->info, frame.players->info_mask,
                                            player_row, &info_fields));
      }
    }
  }

 private:
  // Returns a predicate: whether a player takes part in the next step of `env`. Fixed players
  // always do.
  auto PlaysIn([[maybe_unused]] const E& env) const {
    if constexpr (HasPlays<E>) {
      return
          [&env, vary = table_->vary()](std::size_t player) { return !vary || env.Plays(player); };
    } else {
      return [](std::size_t) { return true; };
    }
  }

  PlayerTable* const table_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_GROUP_PLAYERS_H_
