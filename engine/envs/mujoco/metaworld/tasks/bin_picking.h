// bin-picking: carry an object from one bin to another.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BIN_PICKING_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BIN_PICKING_H_

#include <algorithm>
#include <cmath>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class BinPickingRules final : public Rules {
 public:
  BinPickingRules()
      : Rules({.name = "BinPicking",
               .model = "sawyer_bin_picking",
               .hand = {0.0, 0.6, 0.2},
               .reach = {.low = {-0.5, 0.4, 0.07}, .high = {0.5, 1.0, 0.5}},
               .goals = {.first = {.low = {-0.21, 0.65, 0.02}, .high = {-0.03, 0.75, 0.02}},
                         .second = kGoals,
                         .has_two = true},
               .seen_goals = kGoals}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = {goal.first.x, goal.first.y, scene.Body("obj").z};
    scene.SetObject(episode.object);
    episode.height = scene.Body("obj").z;
    episode.height_target = episode.height + 0.1;
    episode.farthest = NormXy(episode.object - Target(scene)) + episode.height_target;
    episode.first_distance = -1.0;
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.BodyRotation("obj"));
  }
  // The present place of the bin.
  Vector Target(const Scene& scene) const override { return scene.Body("bin_goal"); }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    Episode& episode = scene.episode();
    const Vector target = Target(scene);
    const double to_target = Norm(seen.object - target);
    if (episode.first_distance < 0.0) episode.first_distance = to_target;
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, episode.first_distance);
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.015,
                                     .pad_distance = 0.05,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.01,
                                     .effort = 0.7,
                                     .density = Density::kHigh});
    Scalar reward = Product(grasp, in_place);
    const bool is_near = Norm(seen.object - seen.hand) < 0.04;
    const bool is_held =
        is_near && seen.object.z - 0.02 > episode.object.z && !(seen.opening < 0.43);
    if (is_held) {
      const double floor = std::min(FloorAt(NormXy(seen.hand - episode.object)),
                                    FloorAt(NormXy(seen.hand - target)));
      const double above_floor = seen.hand.z >= floor ? 1.0
                                                      : Within(std::max(floor - seen.hand.z, 0.0),
                                                               {.low = 0.0, .high = 0.01}, 0.05);
      reward += 1.0 + 5.0 * Product(above_floor, in_place);
    }
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = is_near ? 1.0 : 0.0,
            .opening = is_held ? 1.0 : 0.0,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule = {.xy_near = 0.06, .height_weight = 1.0};
    constexpr double kOpeningWeight = -200.0;
    const Episode& episode = scene.episode();
    const Vector way = seen.object - Target(scene);
    const Lift lift = LiftOf(scene, seen.object, NormXy(way));
    const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
    const bool is_over = std::abs(way.x) < 0.05 && std::abs(way.y) < 0.05;
    const Scalar place = AtLeastZero(Scalar::Float64(Closeness(episode.farthest, lift.distance)));
    if (is_over && lift.z < episode.height + 0.05) {
      return {.reward = kOpeningWeight * seen.grip + place, .to_target = lift.distance};
    }
    Scalar placed = 0.0;
    if (is_held && lift.reach < kRule.place_near) {
      placed = is_over ? kOpeningWeight * seen.grip + place : place;
    }
    const double picked = PickPart(episode, lift, kRule, is_held);
    return {.reward = Scalar::Float64(ReachPart(lift, seen.grip, kRule) + picked) + placed,
            .to_target = lift.distance};
  }

  // Measures.to_object and .opening are whether the gripper is near, and whether it holds it.
  Infos Report(const Scene&, const Seen&, const Measures& measures) const override {
    return {.success = measures.to_target <= 0.05 ? 1.0 : 0.0,
            .near_object = measures.to_object,
            .grasp_success = measures.opening,
            .grasp_reward = measures.grasp.value(),
            .in_place_reward = measures.in_place.value(),
            .obj_to_target = measures.to_target};
  }

 private:
  static constexpr double kRadius = 0.05;  // m
  static constexpr Space kGoals = {.low = {0.1199, 0.699, -0.001}, .high = {0.1201, 0.701, 0.001}};

  // The height above which the hand moves at a distance from a bin (m).
  static double FloorAt(double radius) {
    constexpr double kThreshold = 0.03;  // m
    return radius > kThreshold ? 0.02 * NumpyLog(radius - kThreshold) + 0.2 : 0.0;
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BIN_PICKING_H_
