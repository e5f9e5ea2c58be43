// The physics of one environment of the Adroit hand: its own model, because a reset moves bodies
// and sites in it, and the simulation. One thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_SCENE_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_SCENE_H_

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/numpy_arrays.h"
#include "engine/env/params.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/arm_fields.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/robotics/adroit/rules.h"
#include "engine/envs/mujoco/robotics/rotations.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco::robotics::adroit {

class Scene {
 public:
  // Throws Error{kOption} if the model lacks something that all tasks need.
  Scene(const Description& task, const BaseModelPtr& base, const ParamValues& options);

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }

  // The numbers of a place (Description::places).
  std::span<double> place(std::size_t index) { return places_[index]; }

  // The present positions (m) and rotations.
  Vector Body(int id) const { return At(simulation_.data().xpos, id); }
  Vector Site(int id) const { return At(simulation_.data().site_xpos, id); }
  Quaternion Rotation(int body) const;
  std::span<const double> qpos() const { return simulation_.qpos(); }
  std::span<const double> qvel() const { return simulation_.qvel(); }
  double sensor(int index) const { return data_.sensordata[index]; }

  // Lengths that a reset measures (m); only of the pen and of its target.
  std::array<double, 2> lengths{1.0, 1.0};

  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  static Vector At(const double* positions, int index);

  Model model_;
  Simulation simulation_;
  ArmDataFields data_;  // members of simulation_'s mjData
  std::vector<std::span<double>> places_;
};

inline Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

}  // namespace engine::mujoco::robotics::adroit

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_SCENE_H_
