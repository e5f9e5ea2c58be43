// Walker2d: two legs in a plane, to walk forward without falling. Gymnasium
// 1.4.0's tasks of that name in its own arithmetic, so that trajectories are
// bit-equal to it. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_WALKER2D_H_
#define ENGINE_ENVS_MUJOCO_WALKER2D_H_

#include <span>

#include "engine/envs/mujoco/planar_walker.h"

namespace engine::mujoco {

template <Version kVersion>
struct Walker2dRules {
  static constexpr Version kTaskVersion = kVersion;

  static ParamSchema Options() {
    return {XmlFile(kVersion == Version::kV5 ? "walker2d_v5.xml" : "walker2d.xml"),
            HealthyRewardOption(1.0),
            Bounds("healthy_z_range", {0.8, 2.0},
                   "Bounds of the torso's height (m), themselves unhealthy."),
            Bounds("healthy_angle_range", {-1.0, 1.0},
                   "Bounds of the torso's angle (rad), themselves unhealthy."),
            CameraConfig(kVersion, {{"trackbodyid", {2.0}},
                                    {"distance", {4.0}},
                                    {"lookat", {0.0, 0.0, 1.15}},
                                    {"elevation", {-20.0}}})};
  }

  explicit Walker2dRules(const ParamValues&) {}

  bool IsHealthy(std::span<const double>, std::span<const double>) const { return true; }
};

using Walker2dV4 = PlanarWalker<Walker2dRules<Version::kV4>>;
using Walker2dV5 = PlanarWalker<Walker2dRules<Version::kV5>>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_WALKER2D_H_
