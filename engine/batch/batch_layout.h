// The layout of a batch as data: one Field per array. The bindings make NumPy arrays from it, and
// any other user of the memory (DLPack, another process) can read it. Built once per pool and
// immutable afterwards, so any thread may read it.
//
// A batch has one block of each region. An array keeps its whole block alive, so small columns that
// programs often keep (rewards, flags, infos) do not share a block with large ones (observations).
#ifndef ENGINE_BATCH_BATCH_LAYOUT_H_
#define ENGINE_BATCH_BATCH_LAYOUT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/env/dtype.h"
#include "engine/env/spec.h"

namespace engine {

// Columns that only some batches have.
struct BatchExtras {
  bool final_frames = false;  // SameStep: the last frames of ended episodes
  bool dm_columns = false;    // step_type and discount
  bool episodes = false;      // statistics of ended episodes
};

// A separately leased part of the memory of a batch.
enum class Region : std::uint8_t {
  kObservations,  // and final observations, and infos of more than kMaxColumnBytes a row
  kColumns,       // everything else; absent if all fields are in kObservations
};
inline constexpr std::size_t kMaxRegions = 2;

// An info with more bytes per row than this is stored in the region of the observations.
inline constexpr std::size_t kMaxColumnBytes = 64;
// Batches of at most these sizes, per row or in total, have a single region: a kept array then
// keeps little other memory alive, and a second block would take 24 ns per batch (34 ns with one
// block, 58 ns with two) and another Python capsule.
inline constexpr std::size_t kMaxOneRegionRowBytes = 64;
inline constexpr std::size_t kMaxOneRegionBytes = 4096;

// What a row of a field belongs to.
enum class RowsOf : std::uint8_t {
  kEnvs,          // one row for each environment
  kPlayers,       // num_players rows for each environment; see env/players.h
  kFinalPlayers,  // the same, in the last frames of episodes
};

// Index into BatchLayout::fields.
using FieldIndex = std::uint32_t;

// One array of a batch: row r is at offset + r * row_bytes of its region's block, C-contiguous; row
// 0 is aligned to kCacheLineBytes. The fields are read for every batch, so a Field is small and
// they are contiguous.
struct Field {
  std::size_t offset = 0;
  std::size_t row_bytes = 0;
  DType dtype = DType::kFloat64;
  Region region = Region::kObservations;
  bool is_scalar = true;  // a row is one element: its entry in BatchLayout::shapes is empty
  RowsOf rows_of = RowsOf::kEnvs;
};

// The fields that describe the players after one step or reset, except observations. `info` and
// `info_mask` are the indices of the first info and of the first mask; the others follow, in the
// order of the spec.
struct PlayerFields {
  FieldIndex present = 0;  // bool; not exported
  FieldIndex env_id = 0, id = 0;
  FieldIndex reward = 0, terminated = 0, truncated = 0;
  FieldIndex info = 0, info_mask = 0;
};

// The fields that describe an environment after one step or reset. In SameStep a batch also has a
// final frame: the same fields for the last step of an episode that has ended. `obs`, `info` and
// `info_mask` are the indices of the first leaf, the first info and the first mask of an info; the
// others follow, in the order of the spec.
struct FrameFields {
  FieldIndex obs = 0;
  FieldIndex info = 0;
  FieldIndex info_mask = 0;
  FieldIndex elapsed_step = 0;
  FieldIndex elapsed_step_mask = 0;
  PlayerFields players;  // with BatchLayout::has_players
};

class BatchLayout {
 public:
  BatchLayout(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras);

  static constexpr FieldIndex kNoField = UINT32_MAX;
  // The field of that name, or kNoField. Compares all names, so do not call it for every step.
  FieldIndex Find(std::string_view name) const;

  std::uint32_t rows = 0;
  BatchExtras extras;
  // Names, by FieldIndex. The name of a mask is "_" and the name of the masked field.
  // - Observations: "obs", or "obs/" and the path of a leaf (keys, indices of tuples).
  // - "reward", "terminated", "truncated", "step_type", "discount".
  // - Infos: "info/" and the key, also for "env_id" and "elapsed_step". The name of an info that
  //   widens the previous one ends in ":float64".
  // - Final frames: "final_obs...", "final_info/...".
  // - Statistics: "episode/r", "episode/l", "episode/t".
  // - With players: "info/players/" and "final_info/players/" with "present", "env_id", "id",
  //   "reward", "terminated", "truncated" and the key of an info; "episode/players/r",
  //   "episode/players/l"; "players/discount".
  std::vector<Field> fields;
  std::vector<std::string> names;
  std::vector<Shape> shapes;  // of a row
  std::uint32_t num_regions = 1;
  std::array<std::size_t, kMaxRegions> region_bytes = {};  // of a block; > 0 if it exists

  // Indices of fields by their meaning.
  std::uint32_t num_leaves = 0;
  std::uint32_t num_infos = 0;
  bool has_players = false;
  bool players_vary = false;      // as in PlayersSpec
  std::uint32_t num_players = 1;  // rows of observations for each environment
  std::uint32_t num_player_infos = 0;
  bool has_terminal_observation = true;  // as in EnvSpec
  FrameFields frame, final_frame;        // final_frame with extras.final_frames
  FieldIndex reward = 0, terminated = 0, truncated = 0, env_id = 0, env_id_mask = 0;
  FieldIndex final_mask = 0, final_info_mask = 0;  // with extras.final_frames
  FieldIndex step_type = 0, discount = 0;          // with extras.dm_columns
  FieldIndex episode_total_reward = 0, episode_length = 0, episode_seconds = 0;
  FieldIndex episode_mask = 0;                                    // with extras.episodes
  FieldIndex player_discount = 0;                                 // with extras.dm_columns
  FieldIndex player_total_reward = 0, player_episode_length = 0;  // with extras.episodes

 private:
  FieldIndex Add(std::string name, DType dtype, Shape shape, Region region,
                 RowsOf rows_of = RowsOf::kEnvs);
  template <class T>
  FieldIndex AddColumn(std::string name) {
    return Add(std::move(name), DTypeOf<T>(), {}, Region::kColumns);
  }
  void AddLeaves(const SpaceSpec& space, const std::string& path, RowsOf rows_of);
  PlayerFields AddPlayers(const std::vector<InfoSpec>& player_infos, const std::string& prefix,
                          RowsOf rows_of);
  // The number of rows of a field in a batch.
  std::size_t RowsIn(const Field& field) const {
    return field.rows_of == RowsOf::kEnvs ? rows : std::size_t{rows} * num_players;
  }
  FrameFields AddFrame(const EnvSpec& spec, const std::string& prefix);
  bool FitsOneRegion() const;
  void AssignOffsets();
};

}  // namespace engine

#endif  // ENGINE_BATCH_BATCH_LAYOUT_H_
