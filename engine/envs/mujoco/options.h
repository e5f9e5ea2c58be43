// What the tasks' options have in common. A task has one set of options: of its
// older version, those that Gymnasium had not made yet are fixed.
#ifndef ENGINE_ENVS_MUJOCO_OPTIONS_H_
#define ENGINE_ENVS_MUJOCO_OPTIONS_H_

#include <cstdint>
#include <string>

#include "engine/env/params.h"
#include "engine/envs/mujoco/model.h"

namespace engine::mujoco {

// The number at the end of a task's id.
enum class Version : std::uint8_t { kV4, kV5 };

// What lies between two bounds; what the bounds themselves count as is up to the task.
struct Interval {
  double low;
  double high;
};

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
ParamSpec ResetNoiseScale(double value);
ParamSpec ExcludePositions();

// Throws Error{kOption} unless two numbers are given, the second one not below the first.
Interval ReadBounds(const ParamValues& options, const std::string& name);

// What every task reads of its options.
struct Basics {
  explicit Basics(const ParamValues& options);

  Model model;
  int frame_skip;  // steps of the physics in a step of the environment
  double dt;       // seconds that a step lasts
};

// A scale of noise, never -0.0: the width of a draw must not have a sign.
double ReadNoiseScale(const ParamValues& options);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_OPTIONS_H_
