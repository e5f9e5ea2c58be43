// The observations of Humanoid and HumanoidStandup, and the options that select their parts. Pure
// functions; any thread.
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

// Returns the options that select parts of the observation. All are true by default, and v4 fixes
// them.
ParamSchema HumanoidParts(Version version);

class HumanoidBody {
 public:
  // Throws Error{kOption} if the model has no freely moving body.
  HumanoidBody(const ParamValues& options, const Model& model, Version version);

  std::int64_t observation_size() const;
  void Observe(const Simulation& simulation, RowWriter writer) const;

 private:
  static constexpr int kInertiaOfABody = 10;
  static constexpr int kVelocityOfABody = 6;
  static constexpr int kForcesOfABody = 6;

  const Model* model_;
  std::size_t skipped_qpos_;
  // v5 does not observe body 0, which is the world, or the first six actuator forces, which act on
  // the root and are always zero.
  int first_body_;
  int first_force_;
  bool inertias_;
  bool velocities_;
  bool actuator_forces_;
  bool contact_forces_;
};

// The infos "tendon_length" and "tendon_velocity", one number per tendon.
void AddTendonInfos(const Model& model, EnvSpec& spec);
// Sets these infos. `field` is the index of "tendon_length".
void SetTendonInfos(const Simulation& simulation, std::size_t field, InfoRow row);

// Returns the sum of squares of the contact forces of all bodies.
inline double SquaredContactForces(const Simulation& simulation) {
  const auto size = static_cast<std::size_t>(6 * simulation.model().nbody);
  return SumOfSquares(std::span<const double>(simulation.data().cfrc_ext, size));
}
// Returns the sum of squares of all controls, computed in float64.
inline double SquaredControls(const Simulation& simulation) {
  const auto size = static_cast<std::size_t>(simulation.model().nu);
  return SumOfSquares(std::span<const double>(simulation.data().ctrl, size));
}

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HUMANOID_BODY_H_
