// The models of robots that consist of any number of segments, and their divisions. SetModelSource
// is called once, before any task is registered; any thread may call the other functions.
#ifndef ENGINE_ENVS_MUJOCO_MAMUJOCO_SEGMENTS_H_
#define ENGINE_ENVS_MUJOCO_MAMUJOCO_SEGMENTS_H_

#include <string>
#include <vector>

#include "engine/env/params.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/mamujoco/robot.h"

namespace engine::mujoco::mamujoco {

// A function that returns the MJCF of a key, such as "ant 6": a robot and its number of segments.
// It is called without the GIL, and throws Error{kOption} if there is no such text.
using ModelSource = std::string (*)(const std::string& key);
void SetModelSource(ModelSource source);

// Numbers of agents and of segments of each, such as "5x2".
struct SegmentDivision {
  // Reads the option `agent_conf`. Throws Error{kOption} if it has another form, or there are fewer
  // than `least_segments` or more than 100 segments.
  SegmentDivision(const ParamValues& options, int least_segments);

  int segments() const { return agents * segments_of_each; }
  // The division of a robot with as many parts of each segment, in the order of the segments.
  std::vector<Division> Divide(const Robot& robot) const;

  std::string name;
  int agents;
  int segments_of_each;
};

// Returns the compiled model. `robot` is "ant" or "swimmer". Throws Error{kOption} if it cannot be
// read.
BaseModelPtr SegmentModel(const std::string& robot, int segments);

}  // namespace engine::mujoco::mamujoco

#endif  // ENGINE_ENVS_MUJOCO_MAMUJOCO_SEGMENTS_H_
