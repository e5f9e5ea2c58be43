// A task of the Adroit hand: what its scene is, where a reset puts things, what is observed, and
// how a state is rewarded. Each task is a class in tasks.cc. Immutable; any thread.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_RULES_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_RULES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/base/rng.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/rows.h"

namespace engine::mujoco::robotics::adroit {

class Scene;

// Numbers of the model that a reset determines: a row of a field of bodies or of sites.
struct Place {
  const char* name;   // in the reset option initial_state_dict
  const char* field;  // of mjModel
  bool is_site;
  const char* object;  // the body or the site
  std::size_t size;
};

struct Description {
  const char* name;          // in ids
  const char* model;         // the file, in the directory of the package
  std::int64_t actions;      // numbers of an action
  std::int64_t observation;  // numbers of an observation
  double distance;           // m, of the camera
  double azimuth;            // degrees, of the camera
  std::span<const Place> places;
};

struct Outcome {
  bool is_success;
  double reward;  // dense
};

class Rules {
 public:
  virtual ~Rules() = default;

  // Draws the places of an episode, in the order of Description::places.
  virtual void Draw(Scene& scene, Rng& rng) const = 0;
  // Called after the reset that has followed.
  virtual void EndReset(Scene&) const {}
  virtual void Observe(const Scene& scene, RowWriter& writer) const = 0;
  virtual Outcome Judge(const Scene& scene) const = 0;
};

// A task, before its model is known.
struct TaskEntry {
  Description description;
  // Looks up the ids in the model. Throws Error{kOption} if the model lacks an object.
  std::unique_ptr<const Rules> (*make)(Model& model);
};

std::span<const TaskEntry> AllTasks();
// Returns the task of this name, which exists.
const TaskEntry& TaskOf(const std::string& name);

}  // namespace engine::mujoco::robotics::adroit

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_RULES_H_
