// Derives the columns of a batch that environments do not write themselves.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/batch/batch_memory.h"

namespace engine {
namespace {

// Clears the final players of an environment whose episode did not end. With a varying number of
// players, none of them is present; otherwise all are, with zeros.
void ClearFinalPlayers(OpenBatch& batch, std::uint32_t row) {
  const BatchLayout& layout = batch.layout();
  const PlayerColumns& players = *batch.view().final_frame.players;
  const std::size_t first = std::size_t{row} * layout.num_players;
  for (std::uint32_t i = 0; i < layout.num_player_infos; ++i) {
    for (const Column& column : {players.info[i], players.info_mask[i]})
      std::memset(column.Row(first), 0, column.row_bytes * layout.num_players);
  }
  for (std::uint32_t player = 0; player < layout.num_players; ++player) {
    const std::size_t to = first + player;
    players.present[to] = !layout.players_vary;
    players.env_id[to] = batch.view().env_id[row];
    players.id[to] = static_cast<std::int32_t>(player);
    players.reward[to] = 0.0;
    players.terminated[to] = players.truncated[to] = false;
  }
}

void ClearFinalObservation(OpenBatch& batch, std::uint32_t row) {
  const BatchLayout& layout = batch.layout();
  for (std::uint32_t i = 0; i < layout.num_leaves; ++i) {
    const Column& leaf = batch.view().final_frame.obs[i];
    std::memset(leaf.Row(std::size_t{row} * layout.num_players), 0,
                leaf.row_bytes * layout.num_players);
  }
}

void CompleteFinalFrames(OpenBatch& batch, std::uint32_t rows) {
  const BatchLayout& layout = batch.layout();
  const BatchView& view = batch.view();
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (view.final_mask[row]) continue;
    ClearFinalObservation(batch, row);
    if (layout.has_players) ClearFinalPlayers(batch, row);
    for (std::uint32_t i = 0; i < layout.num_infos; ++i) {
      const Column& info = view.final_frame.info[i];
      std::memset(info.Row(row), 0, info.row_bytes);
      *reinterpret_cast<bool*>(view.final_frame.info_mask[i].Row(row)) = false;
    }
    view.final_frame.elapsed_step[row] = 0;
  }
  std::memcpy(batch.At(layout.final_info_mask), view.final_mask, rows);
  std::memcpy(batch.At(layout.final_frame.elapsed_step_mask), view.final_mask, rows);
  if (layout.has_terminal_observation) return;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (!view.final_mask[row] || !view.terminated[row]) continue;
    ClearFinalObservation(batch, row);
    view.final_mask[row] = false;
  }
}

void CompleteEpisodes(const BatchView& view, std::uint32_t num_players, std::uint32_t rows) {
  const EpisodeColumns& episode = view.episode;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (episode.mask[row]) continue;
    episode.total_reward[row] = episode.seconds[row] = 0.0;
    episode.length[row] = 0;
    if (view.player_episode == nullptr) continue;
    const std::size_t first = std::size_t{row} * num_players;
    std::fill_n(view.player_episode->total_reward + first, num_players, 0.0);
    std::fill_n(view.player_episode->length + first, num_players, std::int64_t{0});
  }
}

// The discount of a player is 0 if the player has terminated. It is 1 if the episode has terminated
// and the player has not, because the player was truncated in the same step. Otherwise it is that
// of the environment.
void CompletePlayerDiscounts(OpenBatch& batch, std::uint32_t rows) {
  const BatchView& view = batch.view();
  const std::uint32_t players = batch.layout().num_players;
  auto* const discount = batch.Data<double>(batch.layout().player_discount);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = row * players; k < (row + 1) * players; ++k)
      discount[k] = view.frame.players->terminated[k] ? 0.0
                    : view.terminated[row]            ? 1.0
                                                      : view.discount[row];
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
  // Final frames are exported only if an episode ended, and statistics only if a game ended.
  if (layout.extras.final_frames && batch.episodes() > 0) CompleteFinalFrames(batch, rows);
  if (layout.extras.episodes && batch.games() > 0)
    CompleteEpisodes(batch.view(), layout.num_players, rows);
  if (!layout.extras.dm_columns) return;
  CompleteStepTypes(batch, rows);
  if (layout.has_players) CompletePlayerDiscounts(batch, rows);
}

}  // namespace engine
