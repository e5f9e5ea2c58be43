// See the header.
#include "engine/envs/mujoco/basics.h"

#include <string>

namespace engine::mujoco {

Basics::Basics(const ParamValues& options)
    : model(options.Get<std::string>("xml_file")),
      frame_skip(static_cast<int>(options.Get<std::int64_t>("frame_skip"))),
      dt(model->opt.timestep * frame_skip) {}

EnvSpec SpecOf(const Basics& basics, std::int64_t observation_size) {
  EnvSpec spec;
  spec.observation = ObservationSpace(observation_size);
  spec.action = basics.model.ActionSpace();
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;  // MuJoCo does, where controls are limited
  spec.frame_skip = basics.frame_skip;
  return spec;
}

InfoSpec Number(const char* name, DType dtype) {
  return {.name = name, .dtype = dtype, .shape = {}};
}

}  // namespace engine::mujoco
