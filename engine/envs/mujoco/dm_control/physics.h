// The physics of one environment: an mjData, and the calls that dm_control's Physics makes on it,
// in the same order. One thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_PHYSICS_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_PHYSICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/dm_control/fields.h"
#include "engine/envs/mujoco/dm_control/suite_model.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco::suite {

using Vector = std::array<double, 3>;

// The order of the stages of a step. kLegacy is dm_control's `legacy_step`: mj_step1 ends a step
// instead of beginning the next step, so that the quantities that depend on positions and
// velocities are up to date after a step. kPlain calls only mj_step.
enum class StepOrder : std::uint8_t { kLegacy, kPlain };

class Physics {
 public:
  // Allocates on the calling thread. Throws Error{kInternal} if MuJoCo cannot allocate.
  Physics(const SuiteModel& model, std::span<const OwnArray> own);

  // Sets the initial state of the model, and computes the quantities that depend on it, without
  // actuation. Returns the warnings that MuJoCo raised: bit i is set for warning i.
  unsigned Reset();
  // Computes the quantities that depend on the state, without actuation. Forward throws like Check,
  // and TryForward returns the warnings that MuJoCo raised.
  void Forward() { Check(TryForward()); }
  unsigned TryForward();
  // Makes `steps` physics steps. Throws like Check.
  void Step(int steps, StepOrder order);
  // Throws Error{kInternal} if there are warnings, where dm_control raises PhysicsError.
  static void Check(unsigned warnings) {
    if (warnings != 0) [[unlikely]]
      ThrowPhysicsError(warnings);
  }

  void SetControls(const double* controls);

  const EnvModel& env_model() const { return env_model_; }
  const SuiteModelFields& model() const { return env_model_.suite_fields(); }
  // Writable only between a reset and the next step or computation.
  std::span<double> qpos() { return simulation_.qpos(); }
  std::span<double> qvel() { return simulation_.qvel(); }
  std::span<const double> qpos() const { return simulation_.qpos(); }
  std::span<const double> qvel() const { return simulation_.qvel(); }
  std::span<const double> controls() const {
    return {simulation_.data().ctrl, static_cast<std::size_t>(simulation_.model().nu)};
  }
  std::span<double> activations() { return {data_.act, static_cast<std::size_t>(model().na)}; }
  std::span<const double> activations() const {
    return {data_.act, static_cast<std::size_t>(model().na)};
  }
  void SetTime(double seconds) { *data_.time = seconds; }
  int num_contacts() const { return *data_.ncon; }

  // The quantities of bodies, geoms, sites and joints, by id. Positions are in m, and matrices are
  // row by row.
  const double* xpos(int body) const { return simulation_.data().xpos + 3 * body; }
  const double* xipos(int body) const { return simulation_.data().xipos + 3 * body; }
  const double* xmat(int body) const { return data_.xmat + 9 * body; }
  const double* xquat(int body) const { return data_.xquat + 4 * body; }
  const double* geom_xpos(int geom) const { return simulation_.data().geom_xpos + 3 * geom; }
  const double* geom_xmat(int geom) const { return data_.geom_xmat + 9 * geom; }
  const double* site_xpos(int site) const { return simulation_.data().site_xpos + 3 * site; }
  const double* site_xmat(int site) const { return data_.site_xmat + 9 * site; }
  const double* xanchor(int joint) const { return data_.xanchor + 3 * joint; }
  // Returns the value of a sensor by its address in sensordata.
  const double* sensor(int address) const { return data_.sensordata + address; }
  std::span<const double> sensors() const {
    return {data_.sensordata, static_cast<std::size_t>(model().nsensordata)};
  }
  // Returns the linear velocity (m/s) of a geom or a site, in the world's frame.
  Vector LinearVelocity(int object_type, int id) const;

  void Render(const Renderer& renderer, std::span<std::uint8_t> rgb) const;

  // Saves the state after a reset or a step, and the environment's own arrays of the model. Load
  // recomputes the quantities that depend on positions and velocities. Tasks read accelerations
  // only from sensors, whose values are saved.
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  // The latest call that computed the quantities that depend on the state.
  enum class Computed : std::uint8_t {
    kForward,  // mj_forward without actuation
    kStep1,    // mj_step1 in the current state
    kStep,     // mj_step in the state `before_`, which it advanced
  };

  static constexpr std::size_t kMaxWarnings = 32;

  [[noreturn]] static void ThrowPhysicsError(unsigned warnings);

  void GetState(std::span<double> state) const;
  void SetState(std::span<const double> state);

  // Runs calls into MuJoCo. Returns the warnings that they raised.
  template <class Call>
  unsigned Run(const Call& call);

  EnvModel env_model_;
  Simulation simulation_;
  SuiteDataFields data_;
  // Whether the latest step has computed, with actuation, the quantities that depend on positions
  // and velocities, and positions and velocities have not changed since then.
  bool is_up_to_date_ = false;
  Computed computed_ = Computed::kForward;
  std::vector<double> before_;  // state before the latest physics step; only with kPlain
};

inline Vector Difference(const double* a, const double* b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

// Returns vector.dot(matrix): the vector in the frame whose axes are the columns of the matrix.
inline Vector InFrame(const Vector& vector, const double* matrix) {
  Vector result;
  NumpyMatmul(vector.data(), matrix, result.data(), 1, 3, 3);
  return result;
}

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_PHYSICS_H_
