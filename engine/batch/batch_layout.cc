#include "engine/batch/batch_layout.h"

#include <algorithm>
#include <utility>

#include "engine/base/cache_line.h"

namespace engine {

BatchLayout::BatchLayout(const EnvSpec& spec, std::uint32_t num_rows, BatchExtras batch_extras)
    : rows(num_rows),
      extras(batch_extras),
      num_leaves(static_cast<std::uint32_t>(spec.observation.Leaves().size())),
      num_infos(static_cast<std::uint32_t>(spec.infos.size())) {
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
  }
  if (extras.episodes) {
    episode_total_reward = AddColumn<double>("episode/r");
    episode_length = AddColumn<std::int64_t>("episode/l");
    episode_seconds = AddColumn<double>("episode/t");
    episode_mask = AddColumn<bool>("_episode");
  }
  Place();
}

FieldIndex BatchLayout::Find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? kNoField : static_cast<FieldIndex>(found - names.begin());
}

FieldIndex BatchLayout::Add(std::string name, DType dtype, Shape shape, Region region) {
  fields.push_back({.row_bytes = SizeOf(dtype) * static_cast<std::size_t>(NumElements(shape)),
                    .dtype = dtype,
                    .region = region,
                    .is_scalar = shape.empty()});
  names.push_back(std::move(name));
  shapes.push_back(std::move(shape));
  return static_cast<FieldIndex>(fields.size() - 1);
}

// In the order of SpaceSpec::Leaves(): depth first.
void BatchLayout::AddLeaves(const SpaceSpec& space, const std::string& path) {
  if (space.is_leaf()) {
    Add(path, space.dtype, space.shape, Region::kObservations);
    return;
  }
  for (const auto& [key, child] : space.children) AddLeaves(child, path + "/" + key);
}

FrameFields BatchLayout::AddFrame(const EnvSpec& spec, const std::string& prefix) {
  const std::string infos = prefix + "info/";
  FrameFields added;
  added.obs = static_cast<FieldIndex>(fields.size());
  AddLeaves(spec.observation, prefix + "obs");
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
        info.bytes() > kMostColumnBytes ? Region::kObservations : Region::kColumns);
  }
  added.info_mask = static_cast<FieldIndex>(fields.size());
  for (const InfoSpec& info : spec.infos) AddColumn<bool>(name_of("_" + infos, info));
  added.elapsed_step = AddColumn<std::int32_t>(infos + "elapsed_step");
  added.elapsed_step_mask = AddColumn<bool>("_" + infos + "elapsed_step");
  return added;
}

bool BatchLayout::FitsOneRegion() const {
  std::size_t row_bytes = 0;
  std::size_t bytes = 0;
  std::size_t observation_bytes = 0;
  for (const Field& field : fields) {
    row_bytes += field.row_bytes;
    bytes += RoundUpToCacheLine(field.row_bytes * rows);
    if (field.region == Region::kObservations) observation_bytes += field.row_bytes;
  }
  return row_bytes <= kMostOneRegionRowBytes || bytes <= kMostOneRegionBytes ||
         observation_bytes == 0;
}

void BatchLayout::Place() {
  num_regions = FitsOneRegion() ? 1 : kMaxRegions;
  for (Field& field : fields) {
    if (num_regions == 1) field.region = Region::kObservations;
    std::size_t& end = region_bytes[static_cast<std::size_t>(field.region)];
    field.offset = end;
    end += RoundUpToCacheLine(field.row_bytes * rows);
  }
}

}  // namespace engine
