// The common part of all tasks' classes: one simulation, resets without options, pictures. Each
// instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_TASK_H_
#define ENGINE_ENVS_MUJOCO_TASK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco {

// The base class of every task. A task stores its own configuration in addition.
class Task {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema ResetOptions() { return {}; }
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  void Render(std::span<std::uint8_t> rgb) const { simulation_.Render(basics_.renderer, rgb); }
  void EnableRender() { basics_.renderer.Open(); }

 protected:
  // The distribution of a reset's noise in velocities; that in positions is always uniform.
  enum class Velocities : std::uint8_t { kUniform, kNormal };

  explicit Task(const Basics& basics) : simulation_(basics.model), basics_(basics) {}

  // Starts an episode close to the model's initial state.
  void ResetWithNoise(double scale, Velocities velocities, Rng& rng);

  // Observes all velocities, and all positions except the first ones.
  void PutState(RowWriter& writer, std::size_t skipped_qpos) const;

  Simulation simulation_;

 private:
  const Basics& basics_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_TASK_H_
