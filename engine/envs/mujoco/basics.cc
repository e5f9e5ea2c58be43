// See the header.
#include "engine/envs/mujoco/basics.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace engine::mujoco {

Basics::Basics(const ParamValues& options, const View& view)
    : model(options.Get<std::string>("xml_file")),
      frame_skip(static_cast<int>(options.Get<std::int64_t>("frame_skip"))),
      dt(model->opt.timestep * frame_skip),
      renderer(options, model, view) {}

EnvSpec SpecOf(const Basics& basics, std::int64_t observation_size) {
  EnvSpec spec;
  spec.observation = ObservationSpace(observation_size);
  spec.action = basics.model.ActionSpace();
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;  // MuJoCo does, where controls are limited
  spec.frame_skip = basics.frame_skip;
  const auto fps = static_cast<std::int64_t>(std::nearbyint(1.0 / basics.dt));
  spec.render = RenderSpec{.height = basics.renderer.height(),
                           .width = basics.renderer.width(),
                           .fps = std::max<std::int64_t>(fps, 1)};
  return spec;
}

InfoSpec Number(const char* name, DType dtype) {
  return {.name = name, .dtype = dtype, .shape = {}};
}

}  // namespace engine::mujoco
