// The forms of observations: those of MiniGridEnv and of MiniGrid 3.2.0's wrappers. An
// ObservationForm is made once per pool and is immutable afterwards; any thread.
#ifndef ENGINE_ENVS_MINIGRID_OBSERVATION_H_
#define ENGINE_ENVS_MINIGRID_OBSERVATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/env/params.h"
#include "engine/env/rows.h"
#include "engine/env/spec.h"
#include "engine/envs/minigrid/level.h"
#include "engine/envs/minigrid/tiles.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {

// How a picture of the whole grid or of the view is drawn.
struct PictureStyle {
  bool highlight = true;   // whether pictures of the whole grid highlight the agent's view
  bool agent_pov = false;  // whether the picture shows only the view
  int view_size = 7;       // cells

  int Columns(const WorldSize& grid) const { return agent_pov ? view_size : grid.width; }
  int Rows(const WorldSize& grid) const { return agent_pov ? view_size : grid.height; }
};
// Writes rows of RGB pixels.
void DrawPicture(const World& world, const PictureStyle& style, TileAtlas& tiles,
                 std::span<std::uint8_t> rgb);

class ObservationForm {
 public:
  static void AddOptions(ParamSchema& schema);

  // Throws Error{kOption} if options exclude one another.
  ObservationForm(const ParamValues& options, const LevelTraits& traits);

  SpaceSpec Space() const;
  void Write(World& world, ObsRow row) const;
  // The style of the pictures of `render`.
  const PictureStyle& render_style() const { return render_style_; }

 private:
  enum class Image : std::uint8_t { kPartial, kFull, kOneHot, kRgbPartial, kRgbFull };

  Shape ImageShape() const;
  void WriteImage(World& world, std::uint8_t* image) const;
  void WriteView(World& world, std::uint8_t* image) const;
  void WriteOneHot(World& world, std::uint8_t* image) const;
  // Writes the first flat_length_ letters of the mission, each as a one-hot row.
  void WriteLetters(const World& world, std::uint8_t* letters) const;

  LevelTraits traits_;
  Image image_ = Image::kPartial;
  bool image_only_ = false;
  bool flat_ = false;
  std::size_t flat_length_ = 96;  // letters of the mission
  int view_size_ = 7;
  bool view_is_wrapped_ = false;  // whether ViewSizeWrapper makes the view
  PictureStyle render_style_;
  PictureStyle picture_style_;
  TileAtlas* tiles_ = nullptr;  // null unless images are in RGB
  std::size_t image_bytes_ = 0;
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_OBSERVATION_H_
