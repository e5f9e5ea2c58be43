// The columns of one batch, to which an environment group writes: pointers into memory of the pool
// that is later exported to NumPy, or into memory of the caller. Row k of every column belongs to
// the same environment. With players, rows [k * max_players, (k + 1) * max_players) of the player
// columns belong to it. Different threads write different rows.
#ifndef ENGINE_GROUP_BATCH_VIEW_H_
#define ENGINE_GROUP_BATCH_VIEW_H_

#include <cstdint>

#include "engine/control/step_columns.h"
#include "engine/env/rows.h"

namespace engine {

// The columns of players (players.h), except observations. With players, observations have the same
// rows. Rows of absent players are undefined, except `present`.
struct PlayerColumns {
  bool* present = nullptr;
  std::int32_t* env_id = nullptr;
  std::int32_t* id = nullptr;
  double* reward = nullptr;
  bool* terminated = nullptr;
  bool* truncated = nullptr;
  const Column* info = nullptr;
  const Column* info_mask = nullptr;
  // If true, infos are not cleared before they are written, so that the caller can find infos that
  // were not written.
  bool keeps_infos = false;
};

// Statistics of the players of episodes that ended at this step; rows as in PlayerColumns.
struct PlayerEpisodeColumns {
  double* total_reward = nullptr;
  std::int64_t* length = nullptr;  // steps in which the player took part
};

// Observation leaves and info fields after one step or reset; info masks have one bool per row.
// Arrays of columns are in the order of the spec.
struct FrameColumns {
  const Column* obs = nullptr;
  const Column* info = nullptr;
  const Column* info_mask = nullptr;
  std::int32_t* elapsed_step = nullptr;    // steps since the last reset, saturated
  const PlayerColumns* players = nullptr;  // null without players
};

struct BatchView : StepColumns {
  FrameColumns frame;
  // SameStep only (else null): the final frame of an episode that ended at this step. Rows whose
  // final_mask is false are undefined until the pool zeroes them.
  FrameColumns final_frame;
  const PlayerEpisodeColumns* player_episode = nullptr;  // null unless recorded
};

}  // namespace engine

#endif  // ENGINE_GROUP_BATCH_VIEW_H_
