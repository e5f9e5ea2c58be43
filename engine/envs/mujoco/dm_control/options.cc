// See the header.
#include "engine/envs/mujoco/dm_control/options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/envs/mujoco/dm_control/frames.h"
#include "engine/envs/mujoco/frames.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco::suite {
namespace {

// The size of dm_control's physics.render.
constexpr std::int64_t kWidth = 320;
constexpr std::int64_t kHeight = 240;
constexpr std::int64_t kMaxGeoms = 10'000;
constexpr double kMaxFps = 1e9;

void SetDefault(ParamSchema& options, const char* name, ParamValue value) {
  const auto found = std::ranges::find(options, name, &ParamSpec::name);
  found->default_value = std::move(value);
}

std::int64_t SizeOfAll(const std::vector<Leaf>& leaves) {
  std::int64_t size = 0;
  for (const Leaf& leaf : leaves) size += NumElements(leaf.shape);
  return size;
}

SpaceSpec Unbounded(Shape shape) {
  constexpr double kLimit = std::numeric_limits<double>::infinity();
  return SpaceSpec::Box<double>(std::move(shape), -kLimit, kLimit);
}

SpaceSpec StateSpace(const Description& description, bool is_flat) {
  std::vector<std::pair<std::string, SpaceSpec>> leaves;
  if (is_flat) {
    leaves.emplace_back("observations", Unbounded({SizeOfAll(description.leaves)}));
  } else {
    for (const Leaf& leaf : description.leaves) {
      leaves.emplace_back(leaf.name, Unbounded(leaf.shape));
    }
  }
  return SpaceSpec::Dict(std::move(leaves));
}

SpaceSpec ControlSpace(const std::vector<Range>& controls) {
  std::vector<double> low;
  std::vector<double> high;
  for (const Range& range : controls) {
    low.push_back(range.low);
    high.push_back(range.high);
  }
  return SpaceSpec::Box<double>({static_cast<std::int64_t>(controls.size())}, low, high);
}

}  // namespace

ParamSpec TaskName(const char* name) {
  return Fixed({.name = "task",
                .default_value = std::string(name),
                .doc = "The task of the domain.",
                .low = std::nullopt,
                .high = std::nullopt});
}

ParamSchema WithSuiteOptions(ParamSchema options, std::int64_t steps) {
  options.push_back(FrameSkip(steps));
  options.push_back(Flag("flat_observation", false,
                         "Whether the arrays of an observation are one vector `observations`."));
  options.push_back(
      Flag("legacy_step", true, "Whether a step ends with up-to-date positions and velocities."));
  options.push_back({.name = "time_limit",
                     .default_value = 0.0,
                     .doc = "Seconds after which an episode is truncated, in addition to "
                            "max_episode_steps; None: no such limit.",
                     .low = 0.0,
                     .high = std::nullopt,
                     .none = NonePolicy::kDefault});
  options.push_back(CameraConfig(Version::kV5, {}));
  options = WithFrames(WithRendering(WithModelChanges(std::move(options))));
  SetDefault(options, "width", kWidth);
  SetDefault(options, "height", kHeight);
  SetDefault(options, "max_geom", kMaxGeoms);
  // As in dm_control, the rays of rangefinders (mjVIS_RANGEFINDER) are not drawn.
  SetDefault(options, "visual_options", NumberTable{{"8", {0.0}}});
  return options;
}

SuiteOptions::SuiteOptions(const ParamValues& options, const Description& description)
    : is_flat(options.Get<bool>("flat_observation")),
      order(options.Get<bool>("legacy_step") ? StepOrder::kLegacy : StepOrder::kPlain),
      steps(static_cast<int>(options.Get<std::int64_t>("frame_skip"))),
      step_limit(std::numeric_limits<double>::infinity()) {
  if (options.Holds<double>("time_limit")) {
    step_limit = options.Get<double>("time_limit") / (description.timestep * steps);
  }
}

std::vector<InfoSpec> TimeStepInfos() {
  return {{.name = "timestep.discount", .dtype = DType::kFloat64},
          {.name = "timestep.step_type", .dtype = DType::kInt32}};
}

EnvSpec SpecOf(const Description& description, const ParamValues& options) {
  const SuiteOptions suite(options, description);
  EnvSpec spec;
  spec.observation = StateSpace(description, suite.is_flat);
  spec.action = ControlSpace(description.controls);
  spec.action_out_of_bounds = OutOfBounds::kEnvClips;  // MuJoCo clips, and rewards use the action
  spec.infos = TimeStepInfos();
  spec.max_seed = RandomState::kMaxSeed;
  spec.frame_skip = suite.steps;
  const double seconds = description.timestep * suite.steps;
  spec.render = RenderSpec{
      .height = options.Get<std::int64_t>("height"),
      .width = options.Get<std::int64_t>("width"),
      .fps = static_cast<std::int64_t>(std::clamp(std::nearbyint(1.0 / seconds), 1.0, kMaxFps))};
  spec.observation = FramesSpace(std::move(spec.observation), *spec.render, FrameOptions(options));
  return spec;
}

}  // namespace engine::mujoco::suite
