// The robots of MaMuJoCo's scenarios, and their divisions among agents. Pure functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MAMUJOCO_ROBOTS_H_
#define ENGINE_ENVS_MUJOCO_MAMUJOCO_ROBOTS_H_

#include <vector>

#include "engine/envs/mujoco/mamujoco/robot.h"
#include "engine/envs/mujoco/model.h"

namespace engine::mujoco::mamujoco {

// Return the robot of a scenario, in this model. Throw Error{kOption} if the model lacks a body
// that is observed by its name.
Robot AntRobot(const Model& model);
Robot HalfCheetahRobot(const Model& model);
Robot HopperRobot(const Model& model);
Robot HumanoidRobot(const Model& model);
Robot PusherRobot(const Model& model);
Robot ReacherRobot(const Model& model);
Robot SwimmerRobot(const Model& model);
Robot Walker2dRobot(const Model& model);

// Return the robots of this many segments.
Robot SegmentAntRobot(int segments);
Robot SegmentSwimmerRobot(int segments);

// Return the reference's divisions of a robot, the first one of which is the default here.
std::vector<Division> AntDivisions();
std::vector<Division> HalfCheetahDivisions();
std::vector<Division> HopperDivisions();
std::vector<Division> HumanoidDivisions();
std::vector<Division> PusherDivisions();
std::vector<Division> ReacherDivisions();
std::vector<Division> SwimmerDivisions();
std::vector<Division> Walker2dDivisions();

}  // namespace engine::mujoco::mamujoco

#endif  // ENGINE_ENVS_MUJOCO_MAMUJOCO_ROBOTS_H_
