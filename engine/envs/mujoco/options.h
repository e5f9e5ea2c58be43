// The common options of the tasks. Both versions of a task have the same options: the options of
// Gymnasium's v5, and further numbers that EnvPool 1.2.5 lets users set. In v4, the options that
// change the camera or the meaning of an observation are fixed.
#ifndef ENGINE_ENVS_MUJOCO_OPTIONS_H_
#define ENGINE_ENVS_MUJOCO_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <string>

#include "engine/env/attributes.h"
#include "engine/env/params.h"

namespace engine::mujoco {

// The number at the end of a task's id.
enum class Version : std::uint8_t { kV4, kV5 };

// The values between two bounds. Each task defines whether the bounds themselves are included.
struct Interval {
  double low;
  double high;
};
// Returns whether low < value < high.
inline bool IsWithin(double value, Interval interval) {
  return interval.low < value && value < interval.high;
}

// Return an option. `doc` is one line of documentation.
ParamSpec Weight(const char* name, double value, const char* doc);
ParamSpec Flag(const char* name, bool value, const char* doc);
ParamSpec Bounds(const char* name, Interval value, const char* doc);
// Return the option with a fixed value. FixedBefore fixes it only in versions before `first`.
ParamSpec Fixed(ParamSpec option);
ParamSpec FixedBefore(Version first, Version version, ParamSpec option);

// The largest value of the option frame_skip.
inline constexpr int kMaxFrameSkip = 1'000'000;  // physics steps per step of the environment

// Return attributes that several tasks have: members of the struct Constants.
template <class Constants>
constexpr Attribute<Constants> FrameSkipAttribute() {
  return AttributeOf<&Constants::frame_skip, Constants>("frame_skip", 1, kMaxFrameSkip);
}
// The noise is drawn from [-scale, scale]. The width of this interval must be finite.
template <class Constants>
constexpr Attribute<Constants> NoiseScaleAttribute() {
  return AttributeOf<&Constants::noise_scale, Constants>("_reset_noise_scale", 0.0,
                                                         std::numeric_limits<double>::max() / 2.0);
}

// Return options that several tasks have.
ParamSpec XmlFile(const char* value);
ParamSpec FrameSkip(std::int64_t value);
ParamSpec ForwardRewardWeight(double value);
ParamSpec CtrlCostWeight(double value);
ParamSpec HealthyRewardOption(double value);
ParamSpec ResetNoiseScale(double value);
// Returns a scale of noise with its own name.
ParamSpec NoiseScale(const char* name, double value, const char* doc);
ParamSpec ExcludePositions();
ParamSpec TerminateWhenUnhealthy();

// Returns the two numbers of an option. Throws Error{kOption} unless there are two numbers, the
// second not below the first.
Interval ReadBounds(const ParamValues& options, const std::string& name);

// Returns the value of the option of ExcludePositions.
bool ExcludesPositions(const ParamValues& options);

// Returns a scale of noise, by default that of a reset. The result is never -0.0, because the width
// of the interval of the noise must not be -0.0.
double ReadNoiseScale(const ParamValues& options, const char* name = "reset_noise_scale");

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_OPTIONS_H_
