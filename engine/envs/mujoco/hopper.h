// Hopper: hop forward on one leg in a plane without falling. The tasks are Gymnasium 1.4.0's
// Hopper-v4 and Hopper-v5 with its hopper.xml. MuJoCo computes the dynamics, the other arithmetic
// is Gymnasium's, and trajectories are bit-equal to Gymnasium's. Each instance runs on one thread
// at a time.
#ifndef ENGINE_ENVS_MUJOCO_HOPPER_H_
#define ENGINE_ENVS_MUJOCO_HOPPER_H_

#include <array>
#include <limits>
#include <span>

#include "engine/envs/mujoco/planar_walker.h"

namespace engine::mujoco {

template <Version kVersion>
struct HopperRules {
  static constexpr Version kTaskVersion = kVersion;

  static ParamSchema Options() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {XmlFile("hopper.xml"),
            HealthyRewardOption(1.0),
            Bounds("healthy_state_range", {-100.0, 100.0},
                   "Values of all other state elements that count as healthy, exclusive."),
            Bounds("healthy_z_range", {0.7, kInfinity},
                   "Torso heights that count as healthy (m), exclusive."),
            Bounds("healthy_angle_range", {-0.2, 0.2},
                   "Torso angles that count as healthy (rad), exclusive."),
            CameraConfig(kVersion, {{"trackbodyid", {2.0}},
                                    {"distance", {3.0}},
                                    {"lookat", {0.0, 0.0, 1.15}},
                                    {"elevation", {-20.0}}})};
  }

  explicit HopperRules(const ParamValues& options)
      : state_range(ReadBounds(options, "healthy_state_range")) {}

  // Checks the values of Gymnasium's is_healthy except height and angle: all positions except the
  // first two, and all velocities.
  bool IsHealthy(std::span<const double> qpos, std::span<const double> qvel) const {
    for (const double value : qpos.subspan(2)) {
      if (!(state_range.low < value && value < state_range.high)) return false;
    }
    for (const double value : qvel) {
      if (!(state_range.low < value && value < state_range.high)) return false;
    }
    return true;
  }

  template <class Constants>
  static constexpr std::array<Attribute<Constants>, 1> Attributes() {
    return {AttributeOf<&Constants::state_range, Constants>("_healthy_state_range")};
  }

  Interval state_range;
};

using HopperV4 = PlanarWalker<HopperRules<Version::kV4>>;
using HopperV5 = PlanarWalker<HopperRules<Version::kV5>>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_HOPPER_H_
