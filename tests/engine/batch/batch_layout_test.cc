// Names, regions and offsets of the fields of a batch.
#include "engine/batch/batch_layout.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/cache_line.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace batch_layout_test {

EnvSpec LargeSpec() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Dict(
      {{"image", SpaceSpec::Box<std::uint8_t>({84, 84}, 0, 255)},
       {"state",
        SpaceSpec::Tuple({SpaceSpec::Box<float>({3}, -1.0F, 1.0F), SpaceSpec::Discrete(4)})}});
  spec.action = SpaceSpec::Discrete(2);
  spec.infos = {{.name = "lives", .dtype = DType::kInt32, .shape = {}},
                {.name = "ram", .dtype = DType::kUInt8, .shape = {128}},
                {.name = "full", .dtype = DType::kFloat64, .shape = {8}}};
  return spec;
}

EnvSpec SmallSpec() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<float>({4}, -1.0F, 1.0F);
  spec.action = SpaceSpec::Discrete(2);
  return spec;
}

// Every field lies inside its region, is aligned to a cache line, and overlaps no other field.
void ExpectPlaced(const BatchLayout& layout) {
  for (std::uint32_t region = 0; region < kMaxRegions; ++region) {
    std::vector<FieldIndex> fields;
    for (FieldIndex field = 0; field < layout.fields.size(); ++field) {
      if (static_cast<std::uint32_t>(layout.fields[field].region) == region) {
        fields.push_back(field);
      }
    }
    std::sort(fields.begin(), fields.end(), [&](FieldIndex a, FieldIndex b) {
      return layout.fields[a].offset < layout.fields[b].offset;
    });
    EXPECT_EQ(fields.empty(), region >= layout.num_regions);
    std::size_t end = 0;
    for (const FieldIndex index : fields) {
      const Field& field = layout.fields[index];
      EXPECT_EQ(field.offset % kCacheLineBytes, 0U) << layout.names[index];
      EXPECT_LE(end, field.offset) << layout.names[index];
      end = field.offset + field.row_bytes * layout.rows;
    }
    EXPECT_LE(end, layout.region_bytes[region]);
  }
}

TEST(BatchLayout, FieldsWithoutElementsHaveMemoryOfTheirOwn) {
  EnvSpec spec = SmallSpec();
  spec.observation = SpaceSpec::Dict({{"none", SpaceSpec::Box<float>({0}, -1.0F, 1.0F)},
                                      {"some", SpaceSpec::Box<float>({2}, -1.0F, 1.0F)}});
  spec.infos = {{.name = "none", .dtype = DType::kFloat64, .shape = {0}},
                {.name = "some", .dtype = DType::kFloat64, .shape = {}}};
  const BatchLayout layout(spec, 3, {});
  ExpectPlaced(layout);
  std::vector<std::size_t> offsets;
  for (const Field& field : layout.fields) {
    EXPECT_EQ(layout.num_regions, 1U);
    offsets.push_back(field.offset);
  }
  std::sort(offsets.begin(), offsets.end());
  EXPECT_TRUE(std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end());
}

TEST(BatchLayout, NamesEveryField) {
  const BatchLayout layout(LargeSpec(), 10, {});
  const std::vector<std::string> expected = {
      "obs/image",  "obs/state/0",       "obs/state/1",        "info/lives",
      "info/ram",   "info/full",         "_info/lives",        "_info/ram",
      "_info/full", "info/elapsed_step", "_info/elapsed_step", "reward",
      "terminated", "truncated",         "info/env_id",        "_info/env_id"};
  EXPECT_EQ(layout.names, expected);
  EXPECT_EQ(layout.names[layout.frame.obs + 2], std::string("obs/state/1"));
  EXPECT_EQ(layout.names[layout.frame.info + 1], std::string("info/ram"));
  EXPECT_EQ(layout.names[layout.frame.info_mask + 1], std::string("_info/ram"));
  EXPECT_EQ(layout.num_leaves, 3U);
  EXPECT_EQ(layout.num_infos, 3U);
}

TEST(BatchLayout, NamesTheFieldsOfExtras) {
  const BatchLayout layout(SmallSpec(), 10,
                           {.final_frames = true, .dm_columns = true, .episodes = true});
  const std::vector<std::string> expected = {"obs",
                                             "info/elapsed_step",
                                             "_info/elapsed_step",
                                             "reward",
                                             "terminated",
                                             "truncated",
                                             "info/env_id",
                                             "_info/env_id",
                                             "final_obs",
                                             "final_info/elapsed_step",
                                             "_final_info/elapsed_step",
                                             "_final_obs",
                                             "_final_info",
                                             "step_type",
                                             "discount",
                                             "episode/r",
                                             "episode/l",
                                             "episode/t",
                                             "_episode"};
  EXPECT_EQ(layout.names, expected);
}

TEST(BatchLayout, DescribesWhatItHolds) {
  const BatchLayout layout(LargeSpec(), 10, {});
  const FieldIndex state = layout.Find("obs/state/0");
  ASSERT_TRUE(state != BatchLayout::kNoField);
  EXPECT_EQ(layout.fields[state].dtype, DType::kFloat32);
  EXPECT_EQ(layout.shapes[state], Shape{3});
  EXPECT_FALSE(layout.fields[state].is_scalar);
  EXPECT_EQ(layout.fields[state].row_bytes, 12U);
  const FieldIndex reward = layout.Find("reward");
  EXPECT_EQ(layout.fields[reward].dtype, DType::kFloat64);
  EXPECT_TRUE(layout.shapes[reward].empty());
  EXPECT_TRUE(layout.fields[reward].is_scalar);
  EXPECT_EQ(layout.fields[layout.Find("_info/ram")].row_bytes, 1U);
  EXPECT_EQ(layout.Find("nothing"), BatchLayout::kNoField);
}

TEST(BatchLayout, LargeFieldsLieApartFromSmallOnes) {
  const BatchLayout layout(LargeSpec(), 256, {.final_frames = true, .episodes = true});
  EXPECT_EQ(layout.num_regions, 2U);
  ExpectPlaced(layout);
  for (FieldIndex field = 0; field < layout.fields.size(); ++field) {
    const std::string& name = layout.names[field];
    const bool with_observations = name.starts_with("obs/") || name.starts_with("final_obs/") ||
                                   name == "info/ram" || name == "final_info/ram";
    EXPECT_EQ(layout.fields[field].region == Region::kObservations, with_observations) << name;
  }
  EXPECT_LT(layout.region_bytes[1] * 50, layout.region_bytes[0]);
}

TEST(BatchLayout, SmallRowsLieInOneRegion) {
  for (const std::uint32_t rows : {1U, 7U, 4096U}) {
    const BatchLayout layout(SmallSpec(), rows, {});
    EXPECT_EQ(layout.num_regions, 1U);
    EXPECT_EQ(layout.region_bytes[1], 0U);
    ExpectPlaced(layout);
  }
  // A row takes 36 bytes, and 41 more with final frames and episodes.
  EXPECT_EQ(BatchLayout(SmallSpec(), 4096, {.final_frames = true, .episodes = true}).num_regions,
            2U);
}

TEST(BatchLayout, SmallBatchesLieInOneRegion) {
  EnvSpec spec = SmallSpec();
  spec.observation = SpaceSpec::Box<double>({17}, -1.0, 1.0);
  EXPECT_EQ(BatchLayout(spec, 8, {}).num_regions, 1U);
  EXPECT_EQ(BatchLayout(spec, 64, {}).num_regions, 2U);
  ExpectPlaced(BatchLayout(spec, 8, {.final_frames = true}));
  ExpectPlaced(BatchLayout(spec, 64, {.final_frames = true}));
}

TEST(BatchLayout, ObservationsWithoutElementsNeedNoRegion) {
  EnvSpec spec = SmallSpec();
  spec.observation = SpaceSpec::Box<float>({0}, -1.0F, 1.0F);
  spec.infos = {{.name = "state", .dtype = DType::kFloat64, .shape = {8}}};
  const BatchLayout layout(spec, 1000, {});
  EXPECT_EQ(layout.num_regions, 1U);
  ExpectPlaced(layout);
}

}  // namespace batch_layout_test
}  // namespace engine::testing
