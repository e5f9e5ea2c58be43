// See the header.
#include "engine/envs/mujoco/basics.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace engine::mujoco {
namespace {

constexpr double kMaxFps = 1e9;

}  // namespace

Basics::Basics(const ParamValues& options)
    : Basics(LoadModel(options.Get<std::string>("xml_file")), options) {}

Basics::Basics(BaseModelPtr base, const ParamValues& options, std::span<const Offset> own)
    : model(std::move(base), options, own),
      timing{.frame_skip = static_cast<int>(options.Get<std::int64_t>("frame_skip")),
             .timestep = model->timestep,
             .dt = 0.0},
      renderer(options, model) {
  timing.Update();
}

EnvSpec SpecOf(const Basics& basics, std::int64_t observation_size) {
  EnvSpec spec;
  spec.observation = ObservationSpace(observation_size);
  spec.action = basics.model.ActionSpace();
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;  // MuJoCo clips limited controls
  spec.frame_skip = basics.timing.frame_skip;
  // The pictures of a pool have one rate, whatever the models of its environments.
  const double dt = basics.model.unchanged().timestep * basics.timing.frame_skip;
  const double fps = std::clamp(std::nearbyint(1.0 / dt), 1.0, kMaxFps);
  spec.render = RenderSpec{.height = basics.renderer.height(),
                           .width = basics.renderer.width(),
                           .fps = static_cast<std::int64_t>(fps)};
  return spec;
}

InfoSpec Number(const char* name, DType dtype) {
  return {.name = name, .dtype = dtype, .shape = {}};
}

void AddActionTerm(const char* name, EnvSpec& spec) {
  spec.infos.push_back(Number(name, DType::kFloat32));
  spec.infos.push_back(Number(name));
  spec.infos.back().widens_previous = true;
}

}  // namespace engine::mujoco
