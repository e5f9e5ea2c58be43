// The columns of one batch, as an environment group writes them. Plain
// pointers into a block of memory that the pool owns and later hands to NumPy.
// Row k of every column belongs to the same environment. Different threads
// write different rows.
#ifndef ENGINE_ENV_BATCH_VIEW_H_
#define ENGINE_ENV_BATCH_VIEW_H_

#include <cstdint>

#include "engine/env/rows.h"

namespace engine {

// Observation leaves and info fields of one point in time; info masks hold one
// bool a row. Arrays of columns in the order of the spec.
struct FrameColumns {
  const Column* obs = nullptr;
  const Column* info = nullptr;
  const Column* info_mask = nullptr;
  std::int32_t* elapsed_step = nullptr;  // steps since the last reset, saturated
};

// Episodes that ended at this step; null pointers where nobody asked for them. Rows whose mask is
// false are undefined until the pool zeroes them.
struct EpisodeColumns {
  double* total_reward = nullptr;
  std::int64_t* length = nullptr;  // steps
  double* seconds = nullptr;       // since the reset, rounded to microseconds
  bool* mask = nullptr;
};

struct BatchView {
  FrameColumns frame;
  double* reward = nullptr;
  bool* terminated = nullptr;
  bool* truncated = nullptr;
  std::int32_t* env_id = nullptr;
  double* discount = nullptr;  // dm_env's; null where nobody asks for it
  // SameStep only (else null): the last frame of an episode that ended at this
  // step. Rows whose final_mask is false are undefined until the pool zeroes
  // them.
  FrameColumns final_frame;
  bool* final_mask = nullptr;
  EpisodeColumns episode;
};

}  // namespace engine

#endif  // ENGINE_ENV_BATCH_VIEW_H_
