// Rows of players in a batch: their fields, and the removal of absent players.
#include "engine/batch/player_rows.h"

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace player_rows_test {

constexpr std::int64_t kMax = 3;

EnvSpec Spec(bool vary) {
  EnvSpec spec;
  spec.observation = SpaceSpec::Dict({{"a", SpaceSpec::Box<std::int32_t>({5}, 0, 1 << 30)},
                                      {"b", SpaceSpec::Box<std::uint8_t>({}, 0, 255)}});
  spec.action = SpaceSpec::Discrete(2);
  spec.players = PlayersSpec{.max_players = kMax,
                             .vary = vary,
                             .infos = {{.name = "c", .dtype = DType::kInt16, .shape = {2}}}};
  return spec;
}

TEST(PlayerRows, FieldsHaveARowForEachPlayer) {
  const BatchLayout layout(Spec(true), 4,
                           {.final_frames = true, .dm_columns = true, .episodes = true});
  EXPECT_TRUE(layout.has_players);
  EXPECT_EQ(layout.num_players, 3U);
  const auto rows_of = [&](const std::string& name) {
    const FieldIndex index = layout.Find(name);
    ASSERT_TRUE(index != BatchLayout::kNoField) << name;
    return layout.fields[index].rows_of;
  };
  for (const char* name :
       {"obs/a", "obs/b", "info/players/env_id", "info/players/id", "info/players/reward",
        "info/players/c", "_info/players/c", "players/discount"}) {
    EXPECT_TRUE(rows_of(name) == RowsOf::kPlayers) << name;
  }
  for (const char* name : {"final_obs/a", "final_info/players/reward", "_final_info/players/c"})
    EXPECT_TRUE(rows_of(name) == RowsOf::kFinalPlayers) << name;
  for (const char* name : {"reward", "terminated", "info/env_id", "episode/players/r", "step_type"})
    EXPECT_TRUE(rows_of(name) == RowsOf::kEnvs) << name;
  // No field overlaps the next one.
  for (FieldIndex i = 0; i + 1 < layout.fields.size(); ++i) {
    const Field& field = layout.fields[i];
    const std::size_t rows = field.rows_of == RowsOf::kEnvs ? 4 : 4 * kMax;
    for (FieldIndex j = i + 1; j < layout.fields.size(); ++j) {
      const Field& next = layout.fields[j];
      if (next.region != field.region) continue;
      EXPECT_LE(field.offset + field.row_bytes * rows, next.offset) << layout.names[i];
      break;
    }
  }
}

// Fills every field of players with numbers that depend on the field and the row. Returns the rows
// of the players that are present.
std::vector<std::size_t> Fill(const OpenBatch& batch, std::size_t rows, std::mt19937& rng,
                              bool all_present) {
  const BatchLayout& layout = batch.layout();
  auto* const present = batch.Data<bool>(layout.frame.players.present);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows; ++row) {
    present[row] = all_present || rng() % 3 != 0;
    if (present[row]) kept.push_back(row);
  }
  for (FieldIndex index = 0; index < layout.fields.size(); ++index) {
    const Field& field = layout.fields[index];
    if (field.rows_of != RowsOf::kPlayers || index == layout.frame.players.present) continue;
    auto* const bytes = batch.Data<std::uint8_t>(index);
    for (std::size_t i = 0; i < rows * field.row_bytes; ++i)
      bytes[i] = static_cast<std::uint8_t>(index * 31 + i * 7 + i / 256);
  }
  return kept;
}

void ExpectCompact(const Batch& batch, const std::vector<std::size_t>& kept) {
  const BatchLayout& layout = batch.layout();
  for (FieldIndex index = 0; index < layout.fields.size(); ++index) {
    const Field& field = layout.fields[index];
    if (field.rows_of != RowsOf::kPlayers || index == layout.frame.players.present) continue;
    const auto* const bytes = batch.Data<std::uint8_t>(index);
    for (std::size_t row = 0; row < kept.size(); ++row) {
      for (std::size_t i = 0; i < field.row_bytes; ++i) {
        const std::size_t was = kept[row] * field.row_bytes + i;
        EXPECT_EQ(bytes[row * field.row_bytes + i],
                  static_cast<std::uint8_t>(index * 31 + was * 7 + was / 256))
            << layout.names[index];
      }
    }
  }
}

TEST(PlayerRows, AbsentPlayersAreRemovedInPlace) {
  std::mt19937 rng(1);
  for (const std::uint32_t envs : {1U, 2U, 7U, 40U}) {
    BatchMemory memory(Spec(true), envs, {}, HeapAllocator::Global(), 0);
    for (int round = 0; round < 5; ++round) {
      OpenBatch* const open = memory.Take();
      const std::vector<std::size_t> kept = Fill(*open, envs * kMax, rng, round == 4);
      const Batch batch = memory.Finish(open, envs);
      const PlayerRowCounts counts = RemoveAbsentPlayers(batch);
      EXPECT_EQ(counts.frame, kept.size());
      EXPECT_EQ(counts.final_frame, 0U);
      ExpectCompact(batch, kept);
    }
  }
}

TEST(PlayerRows, FixedPlayersStay) {
  std::mt19937 rng(1);
  BatchMemory memory(Spec(false), 5, {}, HeapAllocator::Global(), 0);
  OpenBatch* const open = memory.Take();
  Fill(*open, 5 * kMax, rng, false);
  const Batch batch = memory.Finish(open, 5);
  EXPECT_EQ(RemoveAbsentPlayers(batch).frame, 5U * kMax);
  std::vector<std::size_t> all(5 * kMax);
  std::iota(all.begin(), all.end(), 0U);
  ExpectCompact(batch, all);
}

TEST(PlayerRows, WithoutPlayersThereAreNoSuchFields) {
  EnvSpec spec = Spec(false);
  spec.players.reset();
  const BatchLayout layout(spec, 4, {.dm_columns = true, .episodes = true});
  EXPECT_FALSE(layout.has_players);
  for (FieldIndex index = 0; index < layout.fields.size(); ++index) {
    EXPECT_TRUE(layout.fields[index].rows_of == RowsOf::kEnvs);
    EXPECT_TRUE(layout.names[index].find("players") == std::string::npos);
  }
}

}  // namespace player_rows_test
}  // namespace engine::testing
