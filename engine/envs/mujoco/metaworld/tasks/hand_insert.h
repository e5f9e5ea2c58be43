// hand-insert: put the gripper with an object into a hole.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HAND_INSERT_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HAND_INSERT_H_

#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class HandInsertRules final : public Rules {
 public:
  HandInsertRules()
      : Rules({.name = "HandInsert",
               .model = "sawyer_table_with_hole",
               .hand = Float32(0.0, 0.6, 0.2),
               .reach = kLowReach,
               .goals = {.first = {.low = {-0.1, 0.6, 0.05}, .high = {0.1, 0.7, 0.05}},
                         .second = kHole,
                         .has_two = true,
                         .least_distance = 0.15},
               .seen_goals = kHole,
               .success = kRadius,
               .near = 0.03,
               .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = {goal.first.x, goal.first.y, 0.05};
    episode.target = goal.second;
    scene.SetObject(episode.object);
    scene.MoveSite("goal", episode.target);
    episode.farthest = std::abs(description().hand.z - episode.target.z);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.BodyRotation("obj"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double to_target = Norm(seen.object - episode.target);
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - episode.target));
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.015,
                                     .pad_distance = 0.05,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.005,
                                     .density = Density::kHigh});
    Scalar reward = Product(grasp, in_place);
    const double to_object = Norm(seen.object - scene.tcp());
    if (to_object < 0.02 && seen.opening > 0.0) reward += 1.0 + 7.0 * in_place;
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen&) const override {
    const Episode& episode = scene.episode();
    const Vector way = scene.tcp() - episode.target;
    return {.reward = MoveReward(NormXy(way), episode.farthest, std::abs(way.z)),
            .to_target = Norm(episode.object - episode.target)};
  }

 private:
  static constexpr double kRadius = 0.05;  // m
  static constexpr Space kHole = {.low = {-0.04, 0.8, -0.0201}, .high = {0.04, 0.88, -0.0199}};
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HAND_INSERT_H_
