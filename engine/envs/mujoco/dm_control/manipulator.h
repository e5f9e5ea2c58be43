// Manipulator: bring a ball or a peg to a target with a planar arm, or insert it. MuJoCo computes
// the dynamics of dm_control's manipulator.xml. Rewards and resets are those of dm_control's
// suite.manipulator.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_MANIPULATOR_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_MANIPULATOR_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "engine/envs/mujoco/dm_control/arm.h"
#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco::suite {

inline ParamSpec FullyObservable() {
  return Flag("fully_observable", true,
              "Whether observations have the poses of the hand, the objects and the target.");
}

class Manipulator final : public SuiteTask {
 public:
  static ParamSchema Options() { return {FullyObservable()}; }
  static Description Describe(const ParamValues& options);

  struct Config {
    Config(SuiteModel& model, const ParamValues& options);

    // Two sites. The reward is 1 if their distance is close to 0.
    struct Pair {
      int a, b;
    };

    Arm arm;
    bool uses_peg, inserts, is_fully_observable;
    int object, target;
    int receptacle = -1;                                 // -1: none
    std::array<std::size_t, 3> object_qpos, object_dof;  // x, z, rotation about y
    Pair bring;
    std::optional<Pair> bring_tip, grasp, pinch;  // only with a peg
    Tolerance is_close{{.upper = 0.01, .margin = 0.02}};
  };
  explicit Manipulator(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override;
  double Reward(const Physics& physics) const override;
  void Observe(const Physics& physics, ObservationWriter& writer) const override;

 private:
  // A pose in the plane: x and z in m, angle in rad.
  struct Pose {
    double x, z, angle;
  };

  Pose DrawTarget(Physics& physics, RandomState& random) const;
  Pose DrawObject(const Pose& target, Physics& physics, RandomState& random) const;
  double Closeness(const Physics& physics, const Config::Pair& pair) const {
    return config_.is_close(SiteDistance(physics, pair.a, pair.b));
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_MANIPULATOR_H_
