// What the tasks' options have in common. A task has one set of options: of its
// older version, those that Gymnasium had not made yet are fixed.
#ifndef ENGINE_ENVS_MUJOCO_OPTIONS_H_
#define ENGINE_ENVS_MUJOCO_OPTIONS_H_

#include <cstdint>
#include <string>

#include "engine/env/params.h"

namespace engine::mujoco {

// The number at the end of a task's id.
enum class Version : std::uint8_t { kV4, kV5 };

// What lies between two bounds; what the bounds themselves count as is up to the task.
struct Interval {
  double low;
  double high;
};
// Bounds excluded.
inline bool IsWithin(double value, Interval interval) {
  return interval.low < value && value < interval.high;
}

// Options of one line each.
ParamSpec Weight(const char* name, double value, const char* doc);
ParamSpec Flag(const char* name, bool value, const char* doc);
ParamSpec Bounds(const char* name, Interval value, const char* doc);
// The same, with a value that the version fixes.
ParamSpec Fixed(ParamSpec option);
ParamSpec FixedBefore(Version first, Version version, ParamSpec option);

// The options that several tasks have.
ParamSpec XmlFile(const char* value);
ParamSpec FrameSkip(std::int64_t value);
ParamSpec ForwardRewardWeight(double value);
ParamSpec CtrlCostWeight(double value);
ParamSpec HealthyRewardOption(double value);
ParamSpec ResetNoiseScale(double value);
ParamSpec ExcludePositions();
ParamSpec TerminateWhenUnhealthy();

// Throws Error{kOption} unless two numbers are given, the second one not below the first.
Interval ReadBounds(const ParamValues& options, const std::string& name);

// What ExcludePositions says.
bool ExcludesPositions(const ParamValues& options);

// A scale of noise, never -0.0: the width of a draw must not have a sign.
double ReadNoiseScale(const ParamValues& options);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_OPTIONS_H_
