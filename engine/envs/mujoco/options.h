// The common options of the tasks. Both versions of a task have the same options: those of
// Gymnasium's v5, and further numbers that can be set in EnvPool 1.2.5. In v4, options that change
// the meaning of an observation or the camera are fixed.
#ifndef ENGINE_ENVS_MUJOCO_OPTIONS_H_
#define ENGINE_ENVS_MUJOCO_OPTIONS_H_

#include <cstdint>
#include <string>

#include "engine/env/params.h"

namespace engine::mujoco {

// The number at the end of a task's id.
enum class Version : std::uint8_t { kV4, kV5 };

// The values between two bounds; each task defines whether the bounds themselves count.
struct Interval {
  double low;
  double high;
};
// Bounds excluded.
inline bool IsWithin(double value, Interval interval) {
  return interval.low < value && value < interval.high;
}

// Options with one line of documentation each.
ParamSpec Weight(const char* name, double value, const char* doc);
ParamSpec Flag(const char* name, bool value, const char* doc);
ParamSpec Bounds(const char* name, Interval value, const char* doc);
// As above, fixed to a value that the version determines.
ParamSpec Fixed(ParamSpec option);
ParamSpec FixedBefore(Version first, Version version, ParamSpec option);

// Options that several tasks have.
ParamSpec XmlFile(const char* value);
ParamSpec FrameSkip(std::int64_t value);
ParamSpec ForwardRewardWeight(double value);
ParamSpec CtrlCostWeight(double value);
ParamSpec HealthyRewardOption(double value);
ParamSpec ResetNoiseScale(double value);
// A scale of noise of another name.
ParamSpec NoiseScale(const char* name, double value, const char* doc);
ParamSpec ExcludePositions();
ParamSpec TerminateWhenUnhealthy();

// Throws Error{kOption} unless there are two numbers, the second not below the first.
Interval ReadBounds(const ParamValues& options, const std::string& name);

// The value of the option of ExcludePositions.
bool ExcludesPositions(const ParamValues& options);

// The value of a scale of noise (by default that of a reset). Never -0.0, because the width of a
// draw must not have a sign.
double ReadNoiseScale(const ParamValues& options, const char* name = "reset_noise_scale");

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_OPTIONS_H_
