// An environment of MiniGrid or BabyAI: a Level gives the rules, and an ObservationForm gives the
// observations. The reference is MiniGrid 3.2.0, and results are bit-equal to it. Each instance
// runs on one thread at a time.
#ifndef ENGINE_ENVS_MINIGRID_MINIGRID_H_
#define ENGINE_ENVS_MINIGRID_MINIGRID_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/minigrid/level.h"
#include "engine/envs/minigrid/observation.h"
#include "engine/envs/minigrid/tiles.h"
#include "engine/envs/minigrid/world.h"

namespace engine::minigrid {

class MiniGrid {
 public:
  static constexpr bool kNeverWaits = true;

  // Returns the options of a kind of level (level.h) with the defaults of an id. A default of None
  // is std::monostate.
  static ParamSchema OptionsOf(const std::string& level,
                               const std::vector<std::pair<std::string, ParamValue>>& defaults);

  static EnvSpec Spec(const ParamValues& options);

  // Has MiniGrid's names.
  struct Constants {
    bool see_through_walls;
    std::int64_t max_steps;  // an attribute only of levels that do not set it at a reset
  };

  struct Config {
    explicit Config(const ParamValues& options);

    std::unique_ptr<const Level> level;
    ObservationForm form;
    int tile_size;
    Constants constants;
  };

  explicit MiniGrid(const Config& config)
      : config_(&config), constants_(config.constants), world_(config.level->traits().size) {
    world_.see_through_walls = constants_->see_through_walls;
  }

  static std::vector<AttributeSpec> Attributes(const Config& config);
  void SetAttribute(std::size_t index, std::span<const double> value);

  void Reset(Rng& rng) {
    world_.step_count = 0;
    world_.max_steps = constants_->max_steps;
    world_.just_taken = kNothing;
    config_->level->Generate(world_, rng);
  }

  StepResult Step(ActionView action, Rng& rng) {
    world_.just_taken = kNothing;
    return config_->level->Step(world_, action.Index(), rng);
  }

  void Observe(ObsRow row) const { config_->form.Write(world_, row); }

  void EnableRender() { tiles_ = &TileAtlas::Get(config_->tile_size); }
  void Render(std::span<std::uint8_t> rgb) const {
    DrawPicture(world_, config_->form.render_style(), *tiles_, rgb);
  }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const { world_.Save(state); }
  void Load(StateReader& state) { world_.Load(state); }

 private:
  const Config* config_;
  SharedAttributes<Constants> constants_;
  TileAtlas* tiles_ = nullptr;
  // Observe changes the world temporarily (see AsObserved in observation.cc).
  mutable World world_;
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_MINIGRID_H_
