#include "engine/batch/player_staging.h"

#include <cstddef>

namespace engine {

PlayerStaging::PlayerStaging(std::unique_ptr<ActionSink> rows, const PlayerTable& players,
                             std::uint32_t num_envs)
    : rows_(std::move(rows)), players_(players) {
  slots_of_rows_.reserve(num_envs * players.num_players());
}

void PlayerStaging::Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) {
  const std::size_t num_players = players_.num_players();
  slots_of_rows_.clear();
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    const auto states = players_.States(env);
    for (std::size_t player = 0; player < num_players; ++player) {
      if (states[player] != PlayerState::kAbsent)
        slots_of_rows_.push_back(static_cast<std::uint32_t>(env * num_players + player));
    }
  }
  rows_->Stage(actions, slots_of_rows_.data(), static_cast<std::uint32_t>(slots_of_rows_.size()));
}

}  // namespace engine
