#include "engine/batch/batch_layout.h"

#include <algorithm>
#include <utility>

#include "engine/base/cache_line.h"

namespace engine {

BatchLayout::BatchLayout(const EnvSpec& spec, std::uint32_t num_rows, BatchExtras batch_extras)
    : rows(num_rows),
      extras(batch_extras),
      num_leaves(static_cast<std::uint32_t>(spec.observation.Leaves().size())),
      num_infos(static_cast<std::uint32_t>(spec.infos.size())),
      has_players(spec.players.has_value()),
      players_vary(spec.players && spec.players->vary),
      num_players(static_cast<std::uint32_t>(spec.max_players())),
      num_player_infos(spec.players ? static_cast<std::uint32_t>(spec.players->infos.size()) : 0),
      has_terminal_observation(spec.has_terminal_observation) {
  frame = AddFrame(spec, "");
  reward = AddColumn<double>("reward");
  terminated = AddColumn<bool>("terminated");
  truncated = AddColumn<bool>("truncated");
  env_id = AddColumn<std::int32_t>("info/env_id");
  env_id_mask = AddColumn<bool>("_info/env_id");
  if (extras.final_frames) {
    final_frame = AddFrame(spec, "final_");
    final_mask = AddColumn<bool>("_final_obs");
    final_info_mask = AddColumn<bool>("_final_info");
  }
  if (extras.dm_columns) {
    step_type = AddColumn<std::int32_t>("step_type");
    discount = AddColumn<double>("discount");
    if (has_players) {
      player_discount =
          Add("players/discount", DType::kFloat64, {}, Region::kColumns, RowsOf::kPlayers);
    }
  }
  if (extras.episodes) {
    episode_total_reward = AddColumn<double>("episode/r");
    episode_length = AddColumn<std::int64_t>("episode/l");
    episode_seconds = AddColumn<double>("episode/t");
    episode_mask = AddColumn<bool>("_episode");
    if (has_players) {
      const Shape shape{num_players};
      player_total_reward = Add("episode/players/r", DType::kFloat64, shape, Region::kColumns);
      player_episode_length = Add("episode/players/l", DType::kInt64, shape, Region::kColumns);
    }
  }
  AssignOffsets();
}

FieldIndex BatchLayout::Find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? kNoField : static_cast<FieldIndex>(found - names.begin());
}

FieldIndex BatchLayout::Add(std::string name, DType dtype, Shape shape, Region region,
                            RowsOf rows_of) {
  fields.push_back({.row_bytes = SizeOf(dtype) * static_cast<std::size_t>(NumElements(shape)),
                    .dtype = dtype,
                    .region = region,
                    .is_scalar = shape.empty(),
                    .rows_of = rows_of});
  names.push_back(std::move(name));
  shapes.push_back(std::move(shape));
  return static_cast<FieldIndex>(fields.size() - 1);
}

// In the order of SpaceSpec::Leaves(): depth first.
void BatchLayout::AddLeaves(const SpaceSpec& space, const std::string& path, RowsOf rows_of) {
  if (space.is_leaf()) {
    Add(path, space.dtype, space.shape, Region::kObservations, rows_of);
    return;
  }
  for (const auto& [key, child] : space.children) AddLeaves(child, path + "/" + key, rows_of);
}

PlayerFields BatchLayout::AddPlayers(const std::vector<InfoSpec>& player_infos,
                                     const std::string& prefix, RowsOf rows_of) {
  const auto add = [&](const std::string& name, DType dtype) {
    return Add(prefix + name, dtype, {}, Region::kColumns, rows_of);
  };
  PlayerFields added;
  added.present = add("present", DType::kBool);
  added.env_id = add("env_id", DType::kInt32);
  added.id = add("id", DType::kInt32);
  added.reward = add("reward", DType::kFloat64);
  added.terminated = add("terminated", DType::kBool);
  added.truncated = add("truncated", DType::kBool);
  added.info = static_cast<FieldIndex>(fields.size());
  for (const InfoSpec& info : player_infos) {
    Add(prefix + info.name, info.dtype, info.shape,
        info.bytes() > kMaxColumnBytes ? Region::kObservations : Region::kColumns, rows_of);
  }
  added.info_mask = static_cast<FieldIndex>(fields.size());
  for (const InfoSpec& info : player_infos)
    Add("_" + prefix + info.name, DType::kBool, {}, Region::kColumns, rows_of);
  return added;
}

FrameFields BatchLayout::AddFrame(const EnvSpec& spec, const std::string& prefix) {
  const std::string infos = prefix + "info/";
  FrameFields added;
  const RowsOf rows_of = !has_players     ? RowsOf::kEnvs
                         : prefix.empty() ? RowsOf::kPlayers
                                          : RowsOf::kFinalPlayers;
  added.obs = static_cast<FieldIndex>(fields.size());
  AddLeaves(spec.observation, prefix + "obs", rows_of);
  added.info = static_cast<FieldIndex>(fields.size());
  // The suffix keeps names distinct: in Python, such a field has the key of the one before it.
  const auto name_of = [](const std::string& before, const InfoSpec& info) {
    std::string name = before;
    name += info.name;
    if (info.widens_previous) name += ":float64";
    return name;
  };
  for (const InfoSpec& info : spec.infos) {
    Add(name_of(infos, info), info.dtype, info.shape,
        info.bytes() > kMaxColumnBytes ? Region::kObservations : Region::kColumns);
  }
  added.info_mask = static_cast<FieldIndex>(fields.size());
  for (const InfoSpec& info : spec.infos) AddColumn<bool>(name_of("_" + infos, info));
  added.elapsed_step = AddColumn<std::int32_t>(infos + "elapsed_step");
  added.elapsed_step_mask = AddColumn<bool>("_" + infos + "elapsed_step");
  if (has_players) added.players = AddPlayers(spec.players->infos, infos + "players/", rows_of);
  return added;
}

bool BatchLayout::FitsOneRegion() const {
  std::size_t row_bytes = 0;
  std::size_t bytes = 0;
  std::size_t observation_bytes = 0;
  for (const Field& field : fields) {
    row_bytes += field.row_bytes * RowsIn(field) / rows;
    bytes += RoundUpToCacheLine(field.row_bytes * RowsIn(field));
    if (field.region == Region::kObservations) observation_bytes += field.row_bytes;
  }
  return row_bytes <= kMaxOneRegionRowBytes || bytes <= kMaxOneRegionBytes ||
         observation_bytes == 0;
}

void BatchLayout::AssignOffsets() {
  num_regions = FitsOneRegion() ? 1 : kMaxRegions;
  for (Field& field : fields) {
    if (num_regions == 1) field.region = Region::kObservations;
    std::size_t& end = region_bytes[static_cast<std::size_t>(field.region)];
    field.offset = end;
    // A field without elements has memory too, so that an environment that writes its first element
    // by mistake does not change the next field.
    end += RoundUpToCacheLine(std::max<std::size_t>(field.row_bytes * RowsIn(field), 1));
  }
}

}  // namespace engine
