// The columns of one batch, as an environment group writes them. Plain pointers into a block of
// memory that the pool owns and later exports to NumPy. Row k of every column belongs to the same
// environment (with players, rows k * most and following of the columns of players). Different
// threads write different rows.
#ifndef ENGINE_ENV_BATCH_VIEW_H_
#define ENGINE_ENV_BATCH_VIEW_H_

#include <cstdint>

#include "engine/control/step_columns.h"
#include "engine/env/rows.h"

namespace engine {

// The columns of players (players.h) beside observations. An environment's row r has the rows [r *
// most, (r + 1) * most) of these columns and of observations. Rows of absent players are undefined,
// except `present`.
struct PlayerColumns {
  bool* present = nullptr;
  std::int32_t* env_id = nullptr;
  std::int32_t* id = nullptr;
  double* reward = nullptr;
  bool* terminated = nullptr;
  bool* truncated = nullptr;
  const Column* info = nullptr;
  const Column* info_mask = nullptr;
  // Infos are not cleared before they are written, for a caller that finds what was not written.
  bool keeps_infos = false;
};

// Statistics of the players of episodes that ended at this step; rows as in PlayerColumns.
struct PlayerEpisodeColumns {
  double* total_reward = nullptr;
  std::int64_t* length = nullptr;  // steps in which it took part
};

// Observation leaves and info fields of one point in time; info masks have one bool per row. Arrays
// of columns are in the order of the spec.
struct FrameColumns {
  const Column* obs = nullptr;
  const Column* info = nullptr;
  const Column* info_mask = nullptr;
  std::int32_t* elapsed_step = nullptr;    // steps since the last reset, saturated
  const PlayerColumns* players = nullptr;  // null if the environments have none
};

struct BatchView : StepColumns {
  FrameColumns frame;
  // SameStep only (else null): the last frame of an episode that ended at this
  // step. Rows whose final_mask is false are undefined until the pool zeroes
  // them.
  FrameColumns final_frame;
  const PlayerEpisodeColumns* player_episode = nullptr;  // with players, if they are recorded
};

}  // namespace engine

#endif  // ENGINE_ENV_BATCH_VIEW_H_
