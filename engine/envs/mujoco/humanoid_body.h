// What Humanoid and HumanoidStandup observe, and the options that say which
// parts of it. Pure functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_HUMANOID_BODY_H_
#define ENGINE_ENVS_MUJOCO_HUMANOID_BODY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/params.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"

namespace engine::mujoco {

// The options of the parts, all true; fixed in v4.
ParamSchema HumanoidParts(Version version);

class HumanoidBody {
 public:
  // Throws Error{kOption} if the model has no body that is free to move.
  HumanoidBody(const ParamValues& options, const Model& model, Version version);

  std::int64_t observation_size() const;
  void Observe(const Simulation& simulation, RowWriter writer) const;

 private:
  static constexpr int kInertiaOfABody = 10;
  static constexpr int kVelocityOfABody = 6;
  static constexpr int kForcesOfABody = 6;

  const Model* model_;
  std::size_t skipped_qpos_;
  // Body 0 is the world, and the first six forces of actuators are on the root, which no actuator
  // moves; v5 leaves them out.
  int first_body_;
  int first_force_;
  bool inertias_;
  bool velocities_;
  bool actuator_forces_;
  bool contact_forces_;
};

// The infos "tendon_length" and "tendon_velocity", one number per tendon.
void AddTendonInfos(const Model& model, EnvSpec& spec);
// `field` is that of the first one.
void SetTendonInfos(const Simulation& simulation, std::size_t field, InfoRow row);

// The squares of all bodies' contact forces, summed.
inline double SquaredContactForces(const Simulation& simulation) {
  const auto size = static_cast<std::size_t>(6 * simulation.model().nbody);
  return SumOfSquares(std::span<const double>(simulation.data().cfrc_ext, size));
}
// The squares of all controls, summed in float64.
inline double SquaredControls(const Simulation& simulation) {
  const auto size = static_cast<std::size_t>(simulation.model().nu);
  return SumOfSquares(std::span<const double>(simulation.data().ctrl, size));
}

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HUMANOID_BODY_H_
