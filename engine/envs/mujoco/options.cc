// See the header.
#include "engine/envs/mujoco/options.h"

#include <limits>
#include <vector>

#include "engine/base/error.h"

namespace engine::mujoco {
namespace {

constexpr const char* kExcludePositions = "exclude_current_positions_from_observation";

}  // namespace

ParamSpec Weight(const char* name, double value, const char* doc) {
  return {
      .name = name, .default_value = value, .doc = doc, .low = std::nullopt, .high = std::nullopt};
}

ParamSpec Flag(const char* name, bool value, const char* doc) {
  return {
      .name = name, .default_value = value, .doc = doc, .low = std::nullopt, .high = std::nullopt};
}

ParamSpec Bounds(const char* name, Interval value, const char* doc) {
  return {.name = name,
          .default_value = std::vector<double>{value.low, value.high},
          .doc = doc,
          .low = std::nullopt,
          .high = std::nullopt};
}

ParamSpec Fixed(ParamSpec option) {
  option.fixed = true;
  return option;
}

ParamSpec FixedBefore(Version first, Version version, ParamSpec option) {
  option.fixed = version < first;
  return option;
}

ParamSpec XmlFile(const char* value) {
  return {.name = "xml_file",
          .default_value = std::string(value),
          .doc = "Model file: a name of Gymnasium's, or a path that begins with '/', '.' or '~'.",
          .low = std::nullopt,
          .high = std::nullopt};
}

ParamSpec FrameSkip(std::int64_t value) {
  return {.name = "frame_skip",
          .default_value = value,
          .doc = "Physics steps per environment step.",
          .low = 1.0,
          .high = double{kMaxFrameSkip}};
}

ParamSpec ForwardRewardWeight(double value) {
  return Weight("forward_reward_weight", value,
                "Weight of the forward velocity in the reward (s/m).");
}

ParamSpec CtrlCostWeight(double value) {
  return Weight("ctrl_cost_weight", value, "Weight of the squared action in the cost.");
}

ParamSpec HealthyRewardOption(double value) {
  return Weight("healthy_reward", value, "Reward for a step that ends in a healthy state.");
}

ParamSpec ResetNoiseScale(double value) {
  return NoiseScale("reset_noise_scale", value,
                    "Scale of the noise added to positions and velocities at a reset.");
}

ParamSpec NoiseScale(const char* name, double value, const char* doc) {
  // The noise is drawn from [-scale, scale]. The width of this interval must be finite.
  return {.name = name,
          .default_value = value,
          .doc = doc,
          .low = 0.0,
          .high = std::numeric_limits<double>::max() / 2.0};
}

ParamSpec ExcludePositions() {
  return Flag(kExcludePositions, true, "Whether observations omit the position on the plane.");
}

ParamSpec TerminateWhenUnhealthy() {
  return Flag("terminate_when_unhealthy", true,
              "Whether an unhealthy state terminates the episode.");
}

Interval ReadBounds(const ParamValues& options, const std::string& name) {
  const auto& given = options.Get<std::vector<double>>(name);
  if (given.size() == 2 && given[0] <= given[1]) return {.low = given[0], .high = given[1]};
  throw Error(
      ErrorKind::kOption,
      name + ": expected two numbers, the second one not below the first, got " + ToString(given));
}

bool ExcludesPositions(const ParamValues& options) { return options.Get<bool>(kExcludePositions); }

double ReadNoiseScale(const ParamValues& options, const char* name) {
  return options.Get<double>(name) + 0.0;
}

}  // namespace engine::mujoco
