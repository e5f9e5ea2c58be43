// Stages actions of several leaves: each leaf is checked and staged like an action of one leaf.
// Called by the pool on the caller's thread, one call at a time.
#ifndef ENGINE_BATCH_ROW_STAGING_H_
#define ENGINE_BATCH_ROW_STAGING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/batch/action_staging.h"

namespace engine {

// The leaves of the actions of one call, in depth-first order of the action space, to which
// ArrayView::tree points. Valid during the call.
using ActionLeaves = std::vector<ArrayView>;

class RowStaging final : public ActionSink {
 public:
  // `keeps_float64`: leaves that are float32 boxes stage actions of other dtypes in float64.
  // `rows_per_env`: as in ActionStaging.
  RowStaging(const EnvSpec& spec, std::uint32_t num_rows, bool keeps_float64,
             std::uint32_t rows_per_env = 0);

  // An array without `tree` is the action of the only leaf. Throws as ActionStaging::Stage does,
  // for the first wrong leaf, and Error{kInternal} if the number of leaves is wrong.
  void Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) override;
  ActionSlots slots() const override {
    return {.columns = {.leaves = columns_.data(), .count = columns_.size()}};
  }

 private:
  std::vector<std::unique_ptr<ActionStaging>> leaves_;
  std::vector<ActionColumn> columns_;
};

// Makes the staging for the environments of a group, in the form in which their class reads
// actions.
std::shared_ptr<ActionSink> MakeStaging(const GroupState& group);

}  // namespace engine

#endif  // ENGINE_BATCH_ROW_STAGING_H_
