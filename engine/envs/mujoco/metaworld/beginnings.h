// The starts of episodes. A reset moves the hand for 500 steps of physics, and its result depends
// on the goal vector only, so it is computed once and copied. The environments of all pools that
// have the same model share the results. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_BEGINNINGS_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_BEGINNINGS_H_

#include <array>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

// The half of an observation that belongs to one step.
using Half = std::array<double, 18>;

// What a reset leaves behind.
struct Beginning {
  std::vector<double> state;  // of the Scene
  Episode episode;
  Half half;      // of the observation
  Vector target;  // in the observation
};

// Returns the observation of a scene without the goal.
Half HalfOf(const Rules& rules, const Scene& scene);

// Makes the reference's reset in a scene, whose state before does not matter.
void Reset(const Rules& rules, const GoalVector& goal, Scene& scene);

// The starts of one task. Bounded: if there are too many, it forgets all of them.
class Beginnings {
 public:
  // Returns the starts that the process has for a task and a model without changes; they live as
  // long as somebody has them.
  static std::shared_ptr<Beginnings> Shared(const BaseModelPtr& base, const Rules& rules);

  // Returns the start for a goal vector. If there is none, compute() makes it; two threads may both
  // compute one, with equal results.
  template <class Compute>
  std::shared_ptr<const Beginning> Get(const GoalVector& goal, const Compute& compute) {
    if (auto known = Find(goal)) return known;
    auto made = std::make_shared<const Beginning>(compute());
    Remember(goal, made);
    return made;
  }

 private:
  struct Hash {
    std::size_t operator()(const GoalVector& goal) const;
  };

  std::shared_ptr<const Beginning> Find(const GoalVector& goal);
  void Remember(const GoalVector& goal, std::shared_ptr<const Beginning> made);

  std::unordered_map<GoalVector, std::shared_ptr<const Beginning>, Hash> by_goal_;
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_BEGINNINGS_H_
