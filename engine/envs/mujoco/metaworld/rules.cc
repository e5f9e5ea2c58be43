// See the header.
#include "engine/envs/mujoco/metaworld/rules.h"

#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {
namespace {

double AsNumber(bool is_true) { return is_true ? 1.0 : 0.0; }

bool Grasps(const Description& task, const Scene& scene, const Seen& seen, double opening) {
  constexpr double kRaise = 0.03;  // m
  constexpr double kLift = 0.02;   // m
  const double start = scene.episode().object.z;
  switch (task.grasp) {
    case Grasp::kAlways:
      return true;
    case Grasp::kNever:
      return false;
    case Grasp::kOpen:
      return opening > 0.0;
    case Grasp::kRaised:
      return opening > 0.0 && seen.object.z - kRaise > start;
    case Grasp::kTouching:
      return opening > 0.0 && scene.Touches(task.touched);
    case Grasp::kLifted:
      return opening > 0.0 && seen.object.z - kLift > start && scene.Touches(task.touched);
  }
  return false;  // not reached
}

}  // namespace

Vector Rules::Target(const Scene& scene) const { return scene.episode().target; }

Infos Rules::Report(const Scene& scene, const Seen& seen, const Measures& measures) const {
  return {.success = AsNumber(measures.to_target <= description_.success),
          .near_object = AsNumber(measures.to_object <= description_.near),
          .grasp_success = AsNumber(Grasps(description_, scene, seen, measures.opening)),
          .grasp_reward = measures.grasp.value(),
          .in_place_reward = measures.in_place.value(),
          .obj_to_target = measures.to_target};
}

Infos GradedRules::Report(const Scene&, const Seen&, const Measures& measures) const {
  constexpr double kGrasped = 0.5;
  return {.success = AsNumber(measures.is_success),
          .near_object = measures.ready,
          .grasp_success = AsNumber(measures.grasp.value() >= kGrasped),
          .grasp_reward = measures.grasp.value(),
          .in_place_reward = measures.in_place.value(),
          .obj_to_target = 0.0};
}

}  // namespace engine::mujoco::metaworld
