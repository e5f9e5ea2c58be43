// pick-out-of-hole: take a puck out of a hole and hold it at a place.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PICK_OUT_OF_HOLE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PICK_OUT_OF_HOLE_H_

#include <algorithm>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class PickOutOfHoleRules final : public Rules {
 public:
  PickOutOfHoleRules()
      : Rules({.name = "PickOutOfHole",
               .model = "sawyer_pick_out_of_hole",
               .hand = {0.0, 0.6, 0.2},
               .reach = {.low = {-0.5, 0.4, -0.05}, .high = {0.5, 1.0, 0.5}},
               .goals = {.first = {.low = {0.0, 0.75, 0.02}, .high = {0.0, 0.75, 0.02}},
                         .second = {.low = {-0.1, 0.5, 0.15}, .high = {0.1, 0.6, 0.3}},
                         .has_two = true,
                         .least_distance = 0.15},
               .seen_goals = {.low = {-0.1, 0.5, 0.15}, .high = {0.1, 0.6, 0.3}},
               .success = 0.07,
               .near = 0.03,
               .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.SetObject(episode.object);
    episode.target = goal.second;
    scene.MoveSite("goal", episode.target);
    episode.height = scene.Geom("objGeom").z;
    episode.height_target = episode.height + 0.11;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.BodyRotation("obj"));
  }

  // Measures.opening is whether the gripper holds the object.
  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.05;  // m
    const Episode& episode = scene.episode();
    const Vector tcp = scene.tcp();
    const double to_target = Norm(seen.object - episode.target);
    const double to_object = Norm(seen.object - tcp);
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.015,
                                     .pad_distance = 0.02,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.03,
                                     .effort = 0.1,
                                     .density = Density::kHigh});
    const double in_place =
        Within(to_target, {.low = 0.0, .high = 0.02}, Norm(episode.object - episode.target));
    Scalar reward = Product(grasp, in_place);
    const bool is_held =
        to_object < 0.04 && seen.object.z - 0.02 > episode.object.z && !(seen.opening < 0.33);
    if (is_held) reward += 1.0 + 5.0 * Product(in_place, AboveFloor(tcp, episode.object));
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = is_held ? 1.0 : 0.0,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule{};
    constexpr double kPickWeight = 100.0;
    const Episode& episode = scene.episode();
    const Lift lift = LiftOf(scene, seen.object, Norm(seen.object - episode.target));
    const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
    double pick = 0.0;
    if (is_held) {
      pick = kPickWeight * (episode.height_target - episode.height + 0.02);
    } else if (lift.reach < kRule.lift_near && lift.z > episode.height + 0.005) {
      pick = kPickWeight * (std::min(episode.height_target, lift.z) - episode.height + 0.02);
    }
    const double place = is_held && lift.reach < kRule.place_near
                             ? AtLeastZero(Closeness(episode.farthest, lift.distance)).value()
                             : 0.0;
    return {.reward = ReachPart(lift, seen.grip, kRule) + pick + place, .to_target = lift.distance};
  }

 private:
  static double AboveFloor(Vector gripper, Vector hole) {
    constexpr double kThreshold = 0.03;  // m
    const double radius = NormXy(gripper - hole);
    const double floor = radius <= kThreshold ? 0.0 : 0.015 * NumpyLog(radius - kThreshold) + 0.15;
    if (gripper.z >= floor) return 1.0;
    return Within(std::max(floor - gripper.z, 0.0), {.low = 0.0, .high = 0.01}, 0.02);
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PICK_OUT_OF_HOLE_H_
