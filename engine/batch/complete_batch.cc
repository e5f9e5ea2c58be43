// Derives the columns of a batch that environments do not write themselves.
#include <cstdint>
#include <cstring>

#include "engine/batch/batch_memory.h"

namespace engine {
namespace {

void CompleteFinalFrames(OpenBatch& batch, std::uint32_t rows) {
  const BatchLayout& layout = batch.layout();
  const BatchView& view = batch.view();
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (view.final_mask[row]) continue;
    for (std::uint32_t i = 0; i < layout.num_leaves; ++i) {
      const Column& leaf = view.final_frame.obs[i];
      std::memset(leaf.Row(row), 0, leaf.row_bytes);
    }
    for (std::uint32_t i = 0; i < layout.num_infos; ++i) {
      const Column& info = view.final_frame.info[i];
      std::memset(info.Row(row), 0, info.row_bytes);
      *reinterpret_cast<bool*>(view.final_frame.info_mask[i].Row(row)) = false;
    }
    view.final_frame.elapsed_step[row] = 0;
  }
  std::memcpy(batch.At(layout.final_info_mask), view.final_mask, rows);
  std::memcpy(batch.At(layout.final_frame.elapsed_step_mask), view.final_mask, rows);
}

void CompleteEpisodes(const EpisodeColumns& episode, std::uint32_t rows) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (episode.mask[row]) continue;
    episode.total_reward[row] = episode.seconds[row] = 0.0;
    episode.length[row] = 0;
  }
}

void CompleteStepTypes(OpenBatch& batch, std::uint32_t rows) {
  // dm_env.StepType.
  constexpr std::int32_t kFirst = 0, kMid = 1, kLast = 2;
  const BatchView& view = batch.view();
  auto* const step_type = batch.Data<std::int32_t>(batch.layout().step_type);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const bool last = view.terminated[row] || view.truncated[row];
    step_type[row] = last ? kLast : view.frame.elapsed_step[row] == 0 ? kFirst : kMid;
  }
}

}  // namespace

void CompleteBatch(OpenBatch& batch, std::uint32_t rows) {
  const BatchLayout& layout = batch.layout();
  std::memset(batch.At(layout.env_id_mask), 1, rows);
  std::memset(batch.At(layout.frame.elapsed_step_mask), 1, rows);
  // If no episode ended, the final frames are not exported at all; if no game, no statistics.
  if (layout.extras.final_frames && batch.episodes() > 0) CompleteFinalFrames(batch, rows);
  if (layout.extras.episodes && batch.games() > 0) CompleteEpisodes(batch.view().episode, rows);
  if (layout.extras.dm_columns) CompleteStepTypes(batch, rows);
}

}  // namespace engine
