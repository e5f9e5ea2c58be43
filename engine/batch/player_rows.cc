#include "engine/batch/player_rows.h"

#include <algorithm>
#include <cstring>

namespace engine {
namespace {

// Moves those of the `rows` rows that are present to the front. Adjacent rows move in one copy.
void Compact(const bool* present, std::size_t rows, std::byte* base, std::size_t row_bytes) {
  std::size_t to = 0;
  for (std::size_t row = 0; row < rows;) {
    if (!present[row]) {
      ++row;
      continue;
    }
    const std::size_t from = row;
    while (row < rows && present[row]) ++row;
    if (from != to) {
      std::memmove(base + to * row_bytes, base + from * row_bytes, (row - from) * row_bytes);
    }
    to += row - from;
  }
}

std::size_t CompactAll(const Batch& batch, RowsOf rows_of, FieldIndex present) {
  const BatchLayout& layout = batch.layout();
  const bool* const is_present = batch.Data<bool>(present);
  const std::size_t rows = std::size_t{batch.rows()} * layout.num_players;
  const auto count = static_cast<std::size_t>(std::count(is_present, is_present + rows, true));
  if (count == rows) return count;
  for (FieldIndex index = 0; index < layout.fields.size(); ++index) {
    const Field& field = layout.fields[index];
    if (field.rows_of == rows_of && index != present)
      Compact(is_present, rows, batch.At(index), field.row_bytes);
  }
  return count;
}

}  // namespace

PlayerRowCounts RemoveAbsentPlayers(const Batch& batch) {
  const BatchLayout& layout = batch.layout();
  const bool has_final = layout.extras.final_frames && batch.has_ends();
  if (!layout.players_vary) {
    const std::size_t all = std::size_t{batch.rows()} * layout.num_players;
    return {.frame = all, .final_frame = has_final ? all : 0};
  }
  PlayerRowCounts counts;
  counts.frame = CompactAll(batch, RowsOf::kPlayers, layout.frame.players.present);
  if (has_final) {
    counts.final_frame =
        CompactAll(batch, RowsOf::kFinalPlayers, layout.final_frame.players.present);
  }
  return counts;
}

}  // namespace engine
