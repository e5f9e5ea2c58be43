#include "engine/group/player_table.h"

#include <algorithm>
#include <string>

#include "engine/base/error.h"

namespace engine {

PlayerTable::PlayerTable(const PlayersSpec& spec, std::uint32_t num_envs, bool records_episodes)
    : max_players_(static_cast<std::size_t>(spec.max_players)),
      vary_(spec.vary),
      // dm_env allows a step before the first reset. That step has an action for each fixed player.
      states_(num_envs * max_players_, vary_ ? PlayerState::kAbsent : PlayerState::kEnded),
      results_(num_envs * max_players_),
      results_are_stale_(num_envs, 0),
      returns_(records_episodes ? num_envs * max_players_ : 0),
      finished_(returns_.size()) {}

void PlayerTable::ClearResults(std::uint32_t env) {
  results_are_stale_[env] = 0;
  std::ranges::fill(Results(env), PlayerResult{});
}

double PlayerTable::TotalReward(std::uint32_t env) const {
  double total = 0.0;
  for (std::size_t player = 0; player < max_players_; ++player)
    total += results_[env * max_players_ + player].reward;
  return total;
}

void PlayerTable::ThrowCannotEnd(std::size_t player) const {
  const std::string who = "player " + std::to_string(player) + " has ended";
  throw Error(ErrorKind::kInternal,
              vary_ ? who +
                          ", and Plays() says that it plays: expected it to play again in a "
                          "later step at the earliest"
                    : who + " while the episode continues: expected players->vary in the spec");
}

void PlayerTable::Restarted(std::uint32_t env, bool new_game) {
  results_are_stale_[env] = 1;
  if (!new_game || returns_.empty()) return;
  for (std::size_t player = 0; player < max_players_; ++player)
    returns_[env * max_players_ + player] = {};
}

void PlayerTable::Record(std::uint32_t env, bool game_over) {
  for (std::size_t player = 0; player < max_players_; ++player) {
    Score& score = returns_[env * max_players_ + player];
    score.total_reward += results_[env * max_players_ + player].reward;
    if (At(env, player) == PlayerState::kPlays) ++score.length;
  }
  if (game_over) EndGame(env);
}

void PlayerTable::EndGame(std::uint32_t env) {
  if (returns_.empty()) return;
  for (std::size_t player = 0; player < max_players_; ++player)
    finished_[env * max_players_ + player] = returns_[env * max_players_ + player];
}

void PlayerTable::WriteColumns(std::uint32_t env, std::uint32_t row,
                               const PlayerColumns& out) const {
  for (std::size_t player = 0; player < max_players_; ++player) {
    const PlayerResult& result = results_[env * max_players_ + player];
    const std::size_t to = row * max_players_ + player;
    out.present[to] = states_[env * max_players_ + player] != PlayerState::kAbsent;
    out.env_id[to] = static_cast<std::int32_t>(env);
    out.id[to] = static_cast<std::int32_t>(player);
    out.reward[to] = result.reward;
    out.terminated[to] = result.terminated;
    out.truncated[to] = result.truncated;
  }
}

void PlayerTable::WriteFailedRow(std::uint32_t env, std::uint32_t row, const PlayerColumns& out) {
  ClearResults(env);
  for (std::size_t player = 0; player < max_players_; ++player)
    At(env, player) = vary_ ? PlayerState::kAbsent : PlayerState::kEnded;
  WriteColumns(env, row, out);
}

void PlayerTable::ClearRewards(std::uint32_t row, const PlayerColumns& out) const {
  std::fill_n(out.reward + row * max_players_, max_players_, 0.0);
}

void PlayerTable::WriteEpisode(std::uint32_t env, std::uint32_t row,
                               const PlayerEpisodeColumns& out) const {
  for (std::size_t player = 0; player < max_players_; ++player) {
    const Score& score = finished_[env * max_players_ + player];
    out.total_reward[row * max_players_ + player] = score.total_reward;
    out.length[row * max_players_ + player] = score.length;
  }
}

void PlayerTable::Save(std::uint32_t env, StateWriter& state) const {
  state.Put(results_are_stale_[env] != 0);
  for (std::size_t player = 0; player < max_players_; ++player) {
    const PlayerResult& result = results_[env * max_players_ + player];
    state.Put(result.terminated);
    state.Put(result.truncated);
    const Score score = returns_.empty() ? Score{} : returns_[env * max_players_ + player];
    state.Put(score.total_reward);
    state.Put(score.length);
  }
}

void PlayerTable::Load(std::uint32_t env, StateReader& state) {
  results_are_stale_[env] = state.Get<bool>() ? 1 : 0;
  for (std::size_t player = 0; player < max_players_; ++player) {
    PlayerResult& result = results_[env * max_players_ + player];
    result = {};
    state.Get(result.terminated);
    state.Get(result.truncated);
    Score score;
    state.Get(score.total_reward);
    state.Get(score.length);
    if (!returns_.empty()) returns_[env * max_players_ + player] = score;
  }
}

}  // namespace engine
