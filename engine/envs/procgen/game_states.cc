// See the header.
#include "engine/envs/procgen/game_states.h"

#include <algorithm>
#include <utility>

namespace engine::procgen {

std::string GameStates::Take(const GameOptions& options, std::int32_t seed, std::size_t game) {
  const ScopedLock lock(mutex_);
  const bool made = seed == seed_ && game < states_.size() && !states_[game].empty();
  if (!made) {
    // Twice as many as before, so that games that are asked for in order are made O(n) times.
    const bool grows = seed == seed_ && game >= states_.size();
    const std::size_t count = std::max(game + 1, grows ? 2 * states_.size() : states_.size());
    const Handle handle(options, seed, count, false);
    states_.resize(count);
    for (std::size_t i = 0; i < count; ++i) states_[i] = handle.Save(i);
    seed_ = seed;
  }
  return std::exchange(states_[game], {});
}

}  // namespace engine::procgen
