// The physics of one environment: an mjData, and the calls that Gymnasium's MujocoEnv makes on it,
// in the same order. One thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_SIMULATION_H_
#define ENGINE_ENVS_MUJOCO_SIMULATION_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/rows.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/mujoco_types.h"
#include "engine/envs/mujoco/renderer.h"

namespace engine::mujoco {

// Whether a step also computes the forces on bodies (mjData's cacc, cfrc_int and cfrc_ext) at its
// end. Gymnasium always computes them. They do not affect the motion, so only tasks that use them
// request them.
enum class BodyForces : bool { kNo, kYes };

class Simulation {
 public:
  // Allocates on the calling thread. Throws Error{kInternal} if MuJoCo cannot allocate.
  explicit Simulation(const Model& model);

  // Copies all of mjData, so that the copy continues bit-equal to the original. With only the state
  // of mj_getState, the positions of bodies and the forces would have to be computed again. Throws
  // like the constructor.
  Simulation(const Simulation& other);
  Simulation& operator=(const Simulation&) = delete;

  const ModelFields& model() const { return *model_; }
  const DataFields& data() const { return fields_; }
  mjData* get() const { return data_.get(); }
  std::span<double> qpos() { return {fields_.qpos, static_cast<std::size_t>(model_->nq)}; }
  std::span<double> qvel() { return {fields_.qvel, static_cast<std::size_t>(model_->nv)}; }
  std::span<const double> qpos() const {
    return {fields_.qpos, static_cast<std::size_t>(model_->nq)};
  }
  std::span<const double> qvel() const {
    return {fields_.qvel, static_cast<std::size_t>(model_->nv)};
  }
  // Returns the position of the frame of a body, in the world's frame (m).
  std::span<const double, 3> BodyPosition(int body) const {
    return std::span<const double, 3>(fields_.xpos + 3 * body, 3);
  }

  // Draws a picture of the current state. Requires that the pool renders.
  void Render(const Renderer& renderer, std::span<std::uint8_t> rgb) const {
    renderer.Draw(data_.get(), fields_, camera_, rgb);
  }
  // The same with a copy of the model that has other colours.
  void Render(const Renderer& renderer, const mjModel& coloured,
              std::span<std::uint8_t> rgb) const {
    renderer.Draw(coloured, data_.get(), fields_, camera_, rgb);
  }

  // Takes over the camera of a copy that has been drawn.
  void TakeCamera(const Simulation& drawn) const { camera_ = drawn.camera_; }

  // Returns the float32 or float64 elements of an action, one per actuator.
  template <std::floating_point T>
  std::span<const T> Controls(ActionView action) const {
    return {action.Data<T>(), static_cast<std::size_t>(model_->nu)};
  }

  // The steps of a reset: BeginReset sets the initial state of the unchanged model, the task
  // changes qpos and qvel, and EndReset computes the quantities that depend on qpos and qvel.
  void BeginReset();
  void EndReset();

  // Makes `frames` physics steps with these controls, one per actuator. At least one. All but the
  // last one use `before_last`, a model that gives the same states; null: the usual model.
  template <std::floating_point T>
  void Step(std::span<const T> controls, int frames, BodyForces forces,
            const mjModel* before_last = nullptr);

  // Computes the forces on bodies, as a step with BodyForces::kYes does at its end. Requires a
  // step.
  void ComputeBodyForces();

  // Makes one physics step with these controls, after EndReset. Since then, only the positions of
  // bodies that the user moves (mocap bodies) may have changed. Requires that these bodies touch
  // nothing and that the model has no sensors. Gives the numbers of Step, but computes only again
  // what such a body changes: constraints, but not contacts, inertias and bias forces.
  template <std::floating_point T>
  void StepAfterReset(std::span<const T> controls);

  // Computes everything from the current positions and velocities with the latest controls, as
  // mj_forward does, and makes one physics step with these controls. The second call does not
  // compute again what the first one has: see `steps_in_parts_`.
  template <std::floating_point T>
  void ForwardAndStep(std::span<const T> controls);

  // Save the state after EndReset, Step or ForwardAndStep, and compute everything again that this
  // call has computed: positions of bodies and forces belong to the state before the latest physics
  // step.
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  // The latest call that computed the quantities that depend on the state.
  enum class Computed : std::uint8_t { kForward, kStep, kStepAndForces };

  // Sets `before_`, which has the right size, to the current state. Inside Guarded.
  void KeepState();

  struct Deleter {
    void operator()(mjData* data) const;
  };

  const Model& model_;
  // Whether mj_step does the same as mj_step2 after what mj_forward computes, if all numbers of the
  // state are sound.
  const bool steps_in_parts_;
  std::unique_ptr<mjData, Deleter> data_;
  DataFields fields_;  // members of *data_
  Computed computed_ = Computed::kForward;
  std::vector<double> before_;            // the state before the call `computed_`
  mutable std::optional<Camera> camera_;  // set by the first picture
};

// Add noise of a reset to positions or velocities, with one draw per value.
void AddUniform(std::span<double> values, double scale, Rng& rng);
void AddNormal(std::span<double> values, double scale, Rng& rng);

// Returns the vector from body `b` to body `a` (m).
inline std::array<double, 3> Difference(const Simulation& simulation, int a, int b) {
  const auto of_a = simulation.BodyPosition(a);
  const auto of_b = simulation.BodyPosition(b);
  return {of_a[0] - of_b[0], of_a[1] - of_b[1], of_a[2] - of_b[2]};
}

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_SIMULATION_H_
