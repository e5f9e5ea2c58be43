// See the header.
#include "engine/envs/mujoco/robotics/robot.h"

#include <utility>

#include "engine/base/error.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco::robotics {

ParamSpec RewardOfDistance(RewardType reward) {
  return Choice(kRewardType, kRewardTypes, reward,
                "\"sparse\": 0 at the goal, otherwise -1; \"dense\": minus the distance (m).");
}

ParamSchema WithRobot(ParamSchema options, NumberTable camera) {
  options.push_back(Fixed(FrameSkip(kSubsteps)));
  options.push_back(CameraConfig(Version::kV5, std::move(camera)));
  return WithRendering(WithModelChanges(std::move(options)));
}

EnvSpec RobotSpec(const ParamValues& options, RobotSizes sizes) {
  EnvSpec spec;
  spec.observation = SpaceSpec::Dict({{"achieved_goal", ObservationSpace(sizes.goal)},
                                      {"desired_goal", ObservationSpace(sizes.goal)},
                                      {"observation", ObservationSpace(sizes.observation)}});
  spec.action = SpaceSpec::Box<float>({sizes.action}, -1.0F, 1.0F);
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  spec.infos = {Number("is_success", DType::kFloat32)};
  spec.frame_skip = kSubsteps;
  spec.render = RenderSpec{.height = options.Get<std::int64_t>("height"),
                           .width = options.Get<std::int64_t>("width"),
                           .fps = 25};
  return spec;
}

void ThrowOtherModel(const std::string& path) {
  throw Error(ErrorKind::kOption, path +
                                      ": expected the model of Gymnasium-Robotics 1.4.2, found "
                                      "another one");
}

}  // namespace engine::mujoco::robotics
