// The columns of a batch that follow from the rules of an episode: all except observations and
// infos. Plain pointers to memory owned elsewhere. Row k of every column belongs to the same
// environment. Different threads write different rows.
#ifndef ENGINE_CONTROL_STEP_COLUMNS_H_
#define ENGINE_CONTROL_STEP_COLUMNS_H_

#include <cstdint>

namespace engine {

// Statistics of the episodes that ended at this step (of whole games, if a game has several
// episodes). The pointers are null if statistics are not recorded. Rows whose mask is false are
// undefined until the pool zeroes them.
struct EpisodeColumns {
  double* total_reward = nullptr;
  std::int64_t* length = nullptr;  // steps
  double* seconds = nullptr;       // since the reset, rounded to microseconds
  bool* mask = nullptr;
};

struct StepColumns {
  double* reward = nullptr;
  bool* terminated = nullptr;
  bool* truncated = nullptr;
  std::int32_t* env_id = nullptr;
  double* discount = nullptr;  // dm_env's; null if not requested
  // SameStep only (else null): whether the row has the last frame of an episode
  // that ended at this step.
  bool* final_mask = nullptr;
  EpisodeColumns episode;
};

}  // namespace engine

#endif  // ENGINE_CONTROL_STEP_COLUMNS_H_
