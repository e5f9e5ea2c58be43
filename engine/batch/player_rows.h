// Removes the rows of absent players from a finished batch, in place, so that its arrays of players
// contain only the rows of present players. Called once per batch, by the thread that owns it.
#ifndef ENGINE_BATCH_PLAYER_ROWS_H_
#define ENGINE_BATCH_PLAYER_ROWS_H_

#include <cstddef>

#include "engine/batch/batch.h"

namespace engine {

// The numbers of rows in the arrays of players (env/players.h) of a batch.
struct PlayerRowCounts {
  std::size_t frame = 0;
  std::size_t final_frame = 0;  // 0 without final frames
};

// Moves the rows of present players together and returns their numbers. With a fixed number of
// players, nothing moves.
// Requires: the layout has players, and no block of the batch was released.
PlayerRowCounts RemoveAbsentPlayers(const Batch& batch);

}  // namespace engine

#endif  // ENGINE_BATCH_PLAYER_ROWS_H_
