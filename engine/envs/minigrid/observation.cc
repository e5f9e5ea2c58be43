#include "engine/envs/minigrid/observation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "engine/envs/minigrid/view.h"

namespace engine::minigrid {
namespace {

// Indices of the leaves of the observation, a dict with sorted keys.
constexpr std::size_t kDirectionLeaf = 0;
constexpr std::size_t kImageLeaf = 1;
constexpr std::size_t kMissionLeaf = 2;

constexpr int kDefaultView = 7;
constexpr std::size_t kOneHotBits = kNumTypes + kNumColors + kNumStates;
// The letters, the space and the comma.
constexpr std::size_t kLetters = 28;
constexpr std::size_t kChannels = 3;

ParamSpec ViewOption(std::string name, std::string doc) {
  return IntOption(std::move(name), kDefaultView, std::move(doc), kSmallestView, kLargestView);
}

void WriteCode(std::uint8_t* at, Code code) { std::memcpy(at, &code, kChannels); }

// Calls with(view), where `view` is the agent's view.
template <class With>
void WithView(const World& world, int size, const With& with) {
  if (size == kDefaultView) {
    with(View<kDefaultView>(world, size, world.see_through_walls));
  } else {
    with(View<0>(world, size, world.see_through_walls));
  }
}

// Restores, during its lifetime, the world that the observation of the latest reset shows. Some
// levels give the agent an object after that observation.
class AsObserved {
 public:
  explicit AsObserved(World& world) : world_(world) {
    if (world_.just_taken == kNothing) return;
    world_.Set(world_.objects[world_.just_taken].position(), world_.just_taken);
    world_.carrying = kNothing;
  }
  ~AsObserved() {
    if (world_.just_taken == kNothing) return;
    world_.Set(world_.objects[world_.just_taken].position(), kNothing);
    world_.carrying = world_.just_taken;
  }
  AsObserved(const AsObserved&) = delete;
  AsObserved& operator=(const AsObserved&) = delete;

 private:
  World& world_;
};

// Copies a tile to cell (x, y) of a picture.
void Blit(const std::uint8_t* tile, int side, int x, int y, int columns, std::uint8_t* rgb) {
  const auto bytes = static_cast<std::size_t>(side) * kChannels;
  const std::size_t row_bytes = bytes * static_cast<std::size_t>(columns);
  std::uint8_t* to = rgb +
                     static_cast<std::size_t>(y) * static_cast<std::size_t>(side) * row_bytes +
                     static_cast<std::size_t>(x) * bytes;
  for (int row = 0; row < side; ++row, to += row_bytes, tile += bytes) {
    std::memcpy(to, tile, bytes);
  }
}

void DrawView(const World& world, const PictureStyle& style, TileAtlas& tiles, std::uint8_t* rgb) {
  WithView(world, style.view_size, [&](const auto& view) {
    const int size = view.size();
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const bool agent_here = x == size / 2 && y == size - 1;
        const bool visible = view.IsVisible(x, y);
        const Code code = visible ? view.Visible(x, y) : kEmptyCode;
        const std::uint8_t* const tile =
            tiles.Tile(code, agent_here ? 3 : TileAtlas::kNoAgent, visible);
        Blit(tile, tiles.tile_size(), x, y, size, rgb);
      }
    }
  });
}

// Marks the cells of the grid that the agent sees. `visible` is row by row.
void MarkVisible(const World& world, const PictureStyle& style, std::span<bool> visible) {
  WithView(world, style.view_size, [&](const auto& view) {
    const ViewFrame frame(world, view.size());
    for (int y = 0; y < view.size(); ++y) {
      for (int x = 0; x < view.size(); ++x) {
        const Point at = frame.At(x, y);
        if (view.IsVisible(x, y) && world.Has(at)) {
          visible[static_cast<std::size_t>(at.y * world.width + at.x)] = true;
        }
      }
    }
  });
}

void DrawGrid(const World& world, const PictureStyle& style, TileAtlas& tiles, std::uint8_t* rgb) {
  // The array is on the stack, because a picture may be an observation and steps must not allocate.
  std::array<bool, static_cast<std::size_t>(kMaxSide * kMaxSide)> visible;
  const auto cells = world.cells();
  std::fill_n(visible.begin(), cells.size(), false);
  if (style.highlight) MarkVisible(world, style, visible);
  std::size_t cell = 0;
  for (int y = 0; y < world.height; ++y) {
    for (int x = 0; x < world.width; ++x, ++cell) {
      const Code code = CodeOf(world.objects[cells[cell]]) & kShown;
      const int agent = world.agent == Point{x, y} ? world.direction : TileAtlas::kNoAgent;
      Blit(tiles.Tile(code, agent, visible[cell]), tiles.tile_size(), x, y, world.width, rgb);
    }
  }
}

}  // namespace

void DrawPicture(const World& world, const PictureStyle& style, TileAtlas& tiles,
                 std::span<std::uint8_t> rgb) {
  if (style.agent_pov) {
    DrawView(world, style, tiles, rgb.data());
  } else {
    DrawGrid(world, style, tiles, rgb.data());
  }
}

void ObservationForm::AddOptions(ParamSchema& schema) {
  schema.push_back(ViewOption("agent_view_size", "Cells on each side of the agent's view. Odd."));
  schema.push_back(BoolOption("highlight", true,
                              "Whether pictures of the grid show what the agent "
                              "sees in lighter colours."));
  schema.push_back(
      IntOption("tile_size", 32, "Pixels on each side of a cell in `render`.", 1, kLargestTile));
  schema.push_back(BoolOption("agent_pov", false, "Whether `render` draws the agent's view only."));
  schema.push_back(ChoiceOption(
      "observation", "partial",
      "The image: \"partial\" the agent's view, \"full\" the whole grid, \"one_hot\" the view in "
      "one-hot codes, \"rgb_partial\" a picture of the view, \"rgb_full\" a picture of the grid.",
      {"partial", "full", "one_hot", "rgb_partial", "rgb_full"}));
  schema.push_back(BoolOption("image_only", false,
                              "Whether the image alone is the observation, without a dict."));
  schema.push_back(BoolOption(
      "flat", false,
      "Whether the observation is one vector: the image, then the mission's letters, one-hot."));
  schema.push_back(IntOption("flat_mission_length", 96,
                             "Letters of the mission in a flat observation, at most.", 1, 4096));
  ParamSpec view = ViewOption(
      "view_size",
      "Cells on each side of the view in observations, if it differs from that of pictures, "
      "\"agent_view_size\". Odd.");
  view.none = NonePolicy::kDefault;
  schema.push_back(std::move(view));
  schema.push_back(IntOption("observation_tile_size", 8,
                             "Pixels on each side of a cell in observations that are pictures.", 1,
                             kLargestTile));
}

ObservationForm::ObservationForm(const ParamValues& options, const LevelTraits& traits)
    : traits_(traits),
      image_only_(options.Get<bool>("image_only")),
      flat_(options.Get<bool>("flat")),
      flat_length_(static_cast<std::size_t>(options.Get<std::int64_t>("flat_mission_length"))) {
  const auto& name = options.Get<std::string>("observation");
  image_ = name == "partial"       ? Image::kPartial
           : name == "full"        ? Image::kFull
           : name == "one_hot"     ? Image::kOneHot
           : name == "rgb_partial" ? Image::kRgbPartial
                                   : Image::kRgbFull;
  const int agent_view = GetInt(options, "agent_view_size");
  view_is_wrapped_ = options.Holds<std::int64_t>("view_size");
  view_size_ = view_is_wrapped_ ? GetInt(options, "view_size") : agent_view;
  for (const char* const option : {"agent_view_size", "view_size"}) {
    const int size = option[0] == 'a' ? agent_view : view_size_;
    RequireOption(size % 2 == 1, option, "an odd number", std::to_string(size));
  }
  RequireOption(!flat_ || !image_only_, "flat", "False with \"image_only\"", "True");
  RequireOption(!view_is_wrapped_ || image_ == Image::kPartial || image_ == Image::kOneHot,
                "view_size",
                "None unless \"observation\" is \"partial\" or \"one_hot\" (pictures have "
                "\"agent_view_size\")",
                std::to_string(view_size_));
  render_style_ = {.highlight = options.Get<bool>("highlight"),
                   .agent_pov = options.Get<bool>("agent_pov"),
                   .view_size = agent_view};
  picture_style_ = render_style_;
  picture_style_.agent_pov = image_ == Image::kRgbPartial;
  if (image_ == Image::kRgbPartial || image_ == Image::kRgbFull) {
    tiles_ = &TileAtlas::Get(GetInt(options, "observation_tile_size"));
  }
  image_bytes_ = static_cast<std::size_t>(NumElements(ImageShape()));
}

Shape ObservationForm::ImageShape() const {
  const WorldSize& grid = traits_.size;
  switch (image_) {
    case Image::kPartial:
      return {view_size_, view_size_, kChannels};
    case Image::kFull:
      return {grid.width, grid.height, kChannels};
    case Image::kOneHot:
      return {view_size_, view_size_, kOneHotBits};
    case Image::kRgbPartial:
    case Image::kRgbFull:
      break;
  }
  return {picture_style_.Rows(grid) * tiles_->tile_size(),
          picture_style_.Columns(grid) * tiles_->tile_size(), kChannels};
}

SpaceSpec ObservationForm::Space() const {
  const auto bytes = [](Shape shape) {
    return SpaceSpec::Box<std::uint8_t>(std::move(shape), 0, 255);
  };
  if (image_only_) return bytes(ImageShape());
  if (flat_) return bytes({static_cast<std::int64_t>(image_bytes_ + kLetters * flat_length_)});
  return SpaceSpec::Dict(
      {{"direction", SpaceSpec::Discrete(4)},
       {"image", bytes(ImageShape())},
       {"mission", SpaceSpec::Text(static_cast<std::int64_t>(traits_.size.mission))}});
}

void ObservationForm::Write(World& world, ObsRow row) const {
  if (image_only_) return WriteImage(world, row.Data<std::uint8_t>());
  if (flat_) {
    auto* const data = row.Data<std::uint8_t>();
    WriteImage(world, data);
    return WriteLetters(world, data + image_bytes_);
  }
  *row.Data<std::int64_t>(kDirectionLeaf) = world.direction;
  WriteImage(world, row.Data<std::uint8_t>(kImageLeaf));
  const auto mission = world.mission_bytes();
  std::memcpy(row.Data<std::uint8_t>(kMissionLeaf), mission.data(), mission.size());
}

void ObservationForm::WriteImage(World& world, std::uint8_t* image) const {
  switch (image_) {
    case Image::kPartial:
    case Image::kOneHot: {
      const auto write = [&] {
        return image_ == Image::kPartial ? WriteView(world, image) : WriteOneHot(world, image);
      };
      if (view_is_wrapped_) return write();
      const AsObserved as_observed(world);
      return write();
    }
    case Image::kFull: {
      const auto cells = world.cells();
      for (int x = 0; x < world.width; ++x) {
        for (int y = 0; y < world.height; ++y, image += kChannels) {
          WriteCode(image,
                    CodeOf(world.objects[cells[static_cast<std::size_t>(y * world.width + x)]]));
        }
      }
      const int agent = world.agent.x * world.height + world.agent.y;
      WriteCode(image - static_cast<std::ptrdiff_t>(image_bytes_) +
                    static_cast<std::ptrdiff_t>(kChannels) * agent,
                MakeCode(Type::kAgent, Color::kRed, static_cast<std::uint8_t>(world.direction)));
      return;
    }
    case Image::kRgbPartial:
    case Image::kRgbFull:
      return DrawPicture(world, picture_style_, *tiles_, {image, image_bytes_});
  }
}

void ObservationForm::WriteView(World& world, std::uint8_t* image) const {
  WithView(world, view_size_, [&](const auto& view) {
    // A code is written with its fourth byte, which the next code overwrites: one store, not two.
    // The pointer is a copy, because a store of bytes might change the captured one.
    const int last = view.size() - 1;
    std::uint8_t* at = image;
    for (int x = 0; x <= last; ++x) {
      for (int y = 0; y < last + (x < last ? 1 : 0); ++y, at += kChannels) {
        const Code code = view.Visible(x, y);
        std::memcpy(at, &code, sizeof(code));
      }
    }
    WriteCode(at, view.Visible(last, last));
  });
}

void ObservationForm::WriteOneHot(World& world, std::uint8_t* image) const {
  std::memset(image, 0, image_bytes_);
  WithView(world, view_size_, [&](const auto& view) {
    std::uint8_t* at = image;
    for (int x = 0; x < view.size(); ++x) {
      for (int y = 0; y < view.size(); ++y, at += kOneHotBits) {
        const Code code = view.Visible(x, y);
        at[static_cast<std::size_t>(TypeOf(code))] = 1;
        at[kNumTypes + static_cast<std::size_t>(ColorOf(code))] = 1;
        at[kNumTypes + kNumColors + StateOf(code)] = 1;
      }
    }
  });
}

void ObservationForm::WriteLetters(const World& world, std::uint8_t* letters) const {
  const std::string_view mission = world.mission();
  if (mission.size() > flat_length_) {
    throw std::runtime_error("the mission has " + std::to_string(mission.size()) +
                             " letters, and a flat observation has room for " +
                             std::to_string(flat_length_) +
                             ": option \"flat_mission_length\" sets it");
  }
  std::memset(letters, 0, kLetters * flat_length_);
  for (const char letter : mission) {
    letters[letter == ' '   ? kLetters - 2
            : letter == ',' ? kLetters - 1
                            : static_cast<std::size_t>(letter - 'a')] = 1;
    letters += kLetters;
  }
}

}  // namespace engine::minigrid
