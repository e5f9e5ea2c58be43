#include "engine/envs/minigrid/minigrid.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace engine::minigrid {
namespace {

constexpr std::int64_t kFramesPerSecond = 10;  // as in the reference

constexpr Attribute<MiniGrid::Constants> kAttributes[] = {
    AttributeOf<&MiniGrid::Constants::see_through_walls>("see_through_walls"),
    AttributeOf<&MiniGrid::Constants::max_steps>("max_steps", 1, 1e9)};

std::unique_ptr<const Level> MakeLevel(const ParamValues& options) {
  return FindLevel(options.Get<std::string>("level")).make(options);
}

}  // namespace

ParamSchema MiniGrid::OptionsOf(const std::string& level,
                                const std::vector<std::pair<std::string, ParamValue>>& defaults) {
  ParamSchema schema = FindLevel(level).options();
  for (const auto& [name, value] : defaults) {
    const auto option = std::find_if(schema.begin(), schema.end(),
                                     [&](const ParamSpec& spec) { return spec.name == name; });
    if (option == schema.end()) throw std::logic_error(level + " has no option " + name);
    if (std::holds_alternative<std::monostate>(value)) {
      option->none = NonePolicy::kDefault;
    } else {
      option->default_value = value;
      if (option->none == NonePolicy::kDefault) option->none = NonePolicy::kAccepted;
    }
  }
  ObservationForm::AddOptions(schema);
  schema.push_back({.name = "level", .default_value = level, .fixed = true});
  return schema;
}

EnvSpec MiniGrid::Spec(const ParamValues& options) {
  const Config config(options);
  const LevelTraits& traits = config.level->traits();
  EnvSpec spec;
  spec.observation = config.form.Space();
  // 0: turn left, 1: turn right, 2: forward, 3: pick up, 4: drop, 5: toggle, 6: done
  spec.action = SpaceSpec::Discrete(traits.num_actions);
  const PictureStyle& style = config.form.render_style();
  spec.render = {.height = std::int64_t{style.Rows(traits.size)} * config.tile_size,
                 .width = std::int64_t{style.Columns(traits.size)} * config.tile_size,
                 .fps = kFramesPerSecond};
  return spec;
}

MiniGrid::Config::Config(const ParamValues& options)
    : level(MakeLevel(options)),
      form(options, level->traits()),
      tile_size(GetInt(options, "tile_size")),
      constants{.see_through_walls = level->traits().see_through_walls,
                .max_steps = level->traits().max_steps} {}

std::vector<AttributeSpec> MiniGrid::Attributes(const Config& config) {
  std::vector<AttributeSpec> attributes = Describe(kAttributes, config.constants);
  if (config.level->sets_max_steps()) attributes.pop_back();
  return attributes;
}

void MiniGrid::SetAttribute(std::size_t index, std::span<const double> value) {
  constants_.Set(kAttributes[index], value);
  world_.see_through_walls = constants_->see_through_walls;
  if (!config_->level->sets_max_steps()) world_.max_steps = constants_->max_steps;
}

}  // namespace engine::minigrid
