// The state of the players of all environments of a group: which players are in the latest result,
// the result of each player in the latest step, and the statistics of its episode. The group calls
// the methods in this order:
//
//   table.ClearResults(env);             // before Step, which writes into Results(env)
//   table.EndStep(env, outcome, plays);  // after Step
//   table.Restarted(env, new_game);      // after a reset
//   table.WriteRow(env, ...);            // for each frame; returns which players to observe
//
// In SameStep, the frame after the reset also has the results of the step that ended the episode,
// so a reset does not clear them.
//
// Threads: as for EpisodeControl. Methods that take an environment's number are called only by the
// thread that holds the environment.
#ifndef ENGINE_GROUP_PLAYER_TABLE_H_
#define ENGINE_GROUP_PLAYER_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/control/episode_control.h"
#include "engine/env/players.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/group/batch_view.h"

namespace engine {

class PlayerTable {
 public:
  PlayerTable(const PlayersSpec& spec, std::uint32_t num_envs, bool records_episodes);

  std::size_t num_players() const { return max_players_; }
  bool vary() const { return vary_; }
  // The states of the players in the latest result of an environment. Before the first result, and
  // in the row of a failed environment, fixed players are kEnded and other players are kAbsent.
  std::span<const PlayerState> States(std::uint32_t env) const {
    return {states_.data() + env * max_players_, max_players_};
  }
  std::span<PlayerResult> Results(std::uint32_t env) {
    return {results_.data() + env * max_players_, max_players_};
  }
  std::span<const PlayerResult> Results(std::uint32_t env) const {
    return {results_.data() + env * max_players_, max_players_};
  }

  // Clears the results of the latest step. Call it before a step, and before a reset that is not
  // part of a step.
  void ClearResults(std::uint32_t env);
  // The sum of the rewards of the latest step.
  double TotalReward(std::uint32_t env) const;
  // Call it after a step; `outcome` is the outcome of this step. Ends all players if the episode
  // has ended, and updates the statistics. `plays(player)`: whether the player takes part in the
  // next step. Throws Error{kInternal} if a fixed player ends before its episode, or if a player
  // that has ended takes part in the next step.
  template <class Plays>
  void EndStep(std::uint32_t env, const Outcome& outcome, const Plays& plays) {
    const bool over = outcome.terminated || outcome.truncated;
    const auto results = Results(env);
    for (std::size_t player = 0; player < max_players_; ++player) {
      PlayerResult& result = results[player];
      if (over) {
        if (result.ended() || !(At(env, player) == PlayerState::kPlays || plays(player))) continue;
        result.terminated = outcome.terminated;
        result.truncated = outcome.truncated;
      } else if (result.ended() && (!vary_ || plays(player))) [[unlikely]] {
        ThrowCannotEnd(player);
      }
    }
    if (!returns_.empty()) Record(env, outcome.game_over);
  }

  // Call it when an episode begins. `new_game`: clear the statistics too.
  void Restarted(std::uint32_t env, bool new_game);
  // Call it if a reset could not continue the game, because the game has ended. Only for
  // statistics.
  void EndGame(std::uint32_t env);

  // Writes the player columns except observations and infos, for row `row` of a frame. Updates and
  // returns the states of the players. `plays` as in EndStep.
  template <class Plays>
  std::span<const PlayerState> WriteRow(std::uint32_t env, std::uint32_t row,
                                        const PlayerColumns& out, const Plays& plays) {
    const auto results = Results(env);
    for (std::size_t player = 0; player < max_players_; ++player) {
      if (results_are_stale_[env] == 0 && results[player].ended()) {
        At(env, player) = PlayerState::kEnded;
      } else {
        At(env, player) = plays(player) ? PlayerState::kPlays : PlayerState::kAbsent;
      }
    }
    WriteColumns(env, row, out);
    return States(env);
  }
  // Writes the row of an environment that has failed: fixed players are present, others absent.
  void WriteFailedRow(std::uint32_t env, std::uint32_t row, const PlayerColumns& out);
  // Clears the rewards of a row that does not follow a step.
  void ClearRewards(std::uint32_t row, const PlayerColumns& out) const;
  // Writes the statistics of the latest game that has ended.
  void WriteEpisode(std::uint32_t env, std::uint32_t row, const PlayerEpisodeColumns& out) const;

  // Save and load the players of an environment's state. Load must be followed by WriteRow.
  void Save(std::uint32_t env, StateWriter& state) const;
  void Load(std::uint32_t env, StateReader& state);

 private:
  PlayerState& At(std::uint32_t env, std::size_t player) {
    return states_[env * max_players_ + player];
  }
  void WriteColumns(std::uint32_t env, std::uint32_t row, const PlayerColumns& out) const;
  void Record(std::uint32_t env, bool game_over);
  [[noreturn]] void ThrowCannotEnd(std::size_t player) const;

  // Statistics of one player, in the current game or in the latest game that has ended.
  struct Score {
    double total_reward = 0.0;
    std::int64_t length = 0;  // steps in which the player took part
  };

  const std::size_t max_players_;
  const bool vary_;
  // Indexed by environment, then player. Written by the thread that holds the environment.
  std::vector<PlayerState> states_;
  std::vector<PlayerResult> results_;
  // Per environment: 1 if the latest results are from the previous episode.
  std::vector<std::uint8_t> results_are_stale_;
  // Empty if no statistics are recorded.
  std::vector<Score> returns_, finished_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_PLAYER_TABLE_H_
