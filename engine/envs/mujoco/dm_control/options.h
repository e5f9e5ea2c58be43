// The options that all tasks of the suite have, and the specs that follow from the options and the
// description of a task. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_OPTIONS_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/mujoco/dm_control/physics.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

// The option that names the task of a domain, such as "swingup". The id fixes it.
ParamSpec TaskName(const char* name);
inline const std::string& TaskOf(const ParamValues& options) {
  return options.Get<std::string>("task");
}

// Returns the options of a task, followed by the options that all tasks have.
ParamSchema WithSuiteOptions(ParamSchema options, std::int64_t steps);

// The values of the options of WithSuiteOptions.
struct SuiteOptions {
  SuiteOptions(const ParamValues& options, const Description& description);

  bool is_flat;
  StepOrder order;
  int steps;          // physics steps per step of the environment
  double step_limit;  // steps of the environment; infinite if `time_limit` is None
};

// Returns Shimmy's infos: the discount, and the step type (0 first, 1 mid, 2 last).
std::vector<InfoSpec> TimeStepInfos();

EnvSpec SpecOf(const Description& description, const ParamValues& options);

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_OPTIONS_H_
