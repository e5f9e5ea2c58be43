// The starts of episodes. A reset moves the hand for 500 steps of physics, and its result depends
// on the goal vector only, so it is computed once and copied. The environments of all pools that
// have the same model share the results. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_BEGINNINGS_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_BEGINNINGS_H_

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "engine/base/mutex.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

// The half of an observation that belongs to one step.
using Half = std::array<double, 18>;

// What a reset leaves behind, in addition to the state of the scene.
struct Beginning {
  Episode episode;
  Half half;      // of the observation
  Vector target;  // in the observation
};

// Returns the observation of a scene without the goal.
Half HalfOf(const Rules& rules, const Scene& scene);

// Makes the reference's reset in a scene, whose state before does not matter.
void Reset(const Rules& rules, const GoalVector& goal, Scene& scene);

// The starts of one task, in memory of a fixed size, of which only what is used is taken from the
// system. A start may replace another one.
class Beginnings {
 public:
  // Returns the starts that the process has for a task and a model without changes; they live as
  // long as somebody has them. `state_size`: that of a scene with this model.
  static std::shared_ptr<Beginnings> Shared(const BaseModelPtr& base, const Rules& rules,
                                            std::size_t state_size);

  explicit Beginnings(std::size_t state_size);

  // Copies the start for a goal vector; returns whether there is one.
  bool Find(const GoalVector& goal, Beginning& beginning, std::span<double> state) const;
  // Keeps a start. Two threads may both compute one, with equal results.
  void Keep(const GoalVector& goal, const Beginning& beginning, std::span<const double> state);

 private:
  struct Slot {
    bool is_used;
    GoalVector goal;
    Beginning beginning;
  };
  struct Deleter {
    void operator()(std::byte* bytes) const;
  };

  std::byte* PlaceOf(const GoalVector& goal) const;

  std::size_t bytes_;  // of a slot and the state behind it
  std::unique_ptr<std::byte, Deleter> slots_;
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_BEGINNINGS_H_
