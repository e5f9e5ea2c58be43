// The common base class of all tasks: one simulation, resets without options, and pictures. Each
// instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_TASK_H_
#define ENGINE_ENVS_MUJOCO_TASK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco {

// A derived task stores its own configuration.
class Task {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema ResetOptions() { return {}; }
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  void Render(std::span<std::uint8_t> rgb) const { simulation_.Render(basics_.renderer, rgb); }
  void EnableRender() { basics_.renderer.Open(); }

  // For environments that observe a task in their own way.
  Simulation& simulation() { return simulation_; }

 protected:
  // The distribution of the noise of a reset in velocities. The noise in positions is always
  // uniform.
  enum class Velocities : std::uint8_t { kUniform, kNormal };

  explicit Task(const Basics& basics) : simulation_(basics.model), basics_(basics) {}

  // Starts an episode at the model's initial state plus noise.
  void ResetWithNoise(double scale, Velocities velocities, Rng& rng);

  // Writes the positions except the first `skipped_qpos`, then all velocities.
  void PutState(RowWriter& writer, std::size_t skipped_qpos) const;

  // Save and load the simulation, and then the task's own values of the latest step.
  template <class... Values>
  void SaveWith(StateWriter& state, const Values&... latest) const {
    simulation_.Save(state);
    const auto put = [&]<class T>(const T& value) {
      if constexpr (requires { value.Save(state); }) {
        value.Save(state);
      } else {
        state.Put(value);
      }
    };
    (put(latest), ...);
  }
  template <class... Values>
  void LoadWith(StateReader& state, Values&... latest) {
    simulation_.Load(state);
    const auto get = [&]<class T>(T& value) {
      if constexpr (requires { value.Load(state); }) {
        value.Load(state);
      } else {
        state.Get(value);
      }
    };
    (get(latest), ...);
  }

  Simulation simulation_;

 private:
  const Basics& basics_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_TASK_H_
