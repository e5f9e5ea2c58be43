// Walker2d: walk forward on two legs in a plane without falling. The tasks are Gymnasium 1.4.0's
// Walker2d-v4 with its walker2d.xml and Walker2d-v5 with its walker2d_v5.xml. MuJoCo computes the
// dynamics, the other arithmetic is Gymnasium's, and trajectories are bit-equal to Gymnasium's.
// Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_WALKER2D_H_
#define ENGINE_ENVS_MUJOCO_WALKER2D_H_

#include <array>
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
                   "Torso heights that count as healthy (m), exclusive."),
            Bounds("healthy_angle_range", {-1.0, 1.0},
                   "Torso angles that count as healthy (rad), exclusive."),
            CameraConfig(kVersion, {{"trackbodyid", {2.0}},
                                    {"distance", {4.0}},
                                    {"lookat", {0.0, 0.0, 1.15}},
                                    {"elevation", {-20.0}}})};
  }

  explicit Walker2dRules(const ParamValues&) {}

  template <class Constants>
  static constexpr std::array<Attribute<Constants>, 0> Attributes() {
    return {};
  }

  bool IsHealthy(std::span<const double>, std::span<const double>) const { return true; }
};

using Walker2dV4 = PlanarWalker<Walker2dRules<Version::kV4>>;
using Walker2dV5 = PlanarWalker<Walker2dRules<Version::kV5>>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_WALKER2D_H_
