// The columns of one batch, as an environment group writes them. Plain pointers into a block of
// memory that the pool owns and later exports to NumPy. Row k of every column belongs to the same
// environment. Different threads write different rows.
#ifndef ENGINE_ENV_BATCH_VIEW_H_
#define ENGINE_ENV_BATCH_VIEW_H_

#include <cstdint>

#include "engine/control/step_columns.h"
#include "engine/env/rows.h"

namespace engine {

// Observation leaves and info fields of one point in time; info masks have one bool per row. Arrays
// of columns are in the order of the spec.
struct FrameColumns {
  const Column* obs = nullptr;
  const Column* info = nullptr;
  const Column* info_mask = nullptr;
  std::int32_t* elapsed_step = nullptr;  // steps since the last reset, saturated
};

struct BatchView : StepColumns {
  FrameColumns frame;
  // SameStep only (else null): the last frame of an episode that ended at this
  // step. Rows whose final_mask is false are undefined until the pool zeroes
  // them.
  FrameColumns final_frame;
};

}  // namespace engine

#endif  // ENGINE_ENV_BATCH_VIEW_H_
