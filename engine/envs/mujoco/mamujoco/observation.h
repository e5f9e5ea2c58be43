// What agents observe: which numbers, and how they are read in each step. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_MAMUJOCO_OBSERVATION_H_
#define ENGINE_ENVS_MUJOCO_MAMUJOCO_OBSERVATION_H_

#include <cstddef>
#include <span>
#include <vector>

#include "engine/env/params.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/mamujoco/robot.h"
#include "engine/envs/mujoco/model.h"

namespace engine::mujoco::mamujoco {

// The options `agent_obsk`, `local_categories` and `global_categories`, of agents that observe a
// part of the robot.
struct Categories {
  // Throws Error{kOption} if a category is unknown, or the robot lacks it, or there are fewer local
  // categories than distances.
  Categories(const ParamValues& options, const Robot& robot);

  bool Has(Quantity quantity) const;

  std::vector<std::vector<Quantity>> local;  // by distance from the agent, from 0 to agent_obsk
  std::vector<Quantity> global;
};

// Returns these options.
ParamSchema ObservationOptions();

// Returns what an agent observes whose parts these are. Throws Error{kOption} if the model has
// fewer elements than the robot needs.
std::vector<Term> ObservationOf(const Robot& robot, std::span<const std::size_t> own,
                                const Categories& categories, const Model& model);

// Writes the numbers that the terms say; their indices are those of ObservationOf. Returns the end.
double* Write(std::span<const Term> terms, const DataFields& data, double* to);

}  // namespace engine::mujoco::mamujoco

#endif  // ENGINE_ENVS_MUJOCO_MAMUJOCO_OBSERVATION_H_
