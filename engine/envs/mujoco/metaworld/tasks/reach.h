// reach and reach-wall: move the gripper to a place.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_REACH_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_REACH_H_

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class ReachRules : public Rules {
 public:
  explicit ReachRules(Description description) : Rules(description) {}
  ReachRules()
      : ReachRules({.name = "Reach",
                    .model = "sawyer_reach_v3",
                    .hand = {0.0, 0.6, 0.2},
                    .reach = kReach,
                    .goals = {.first = {.low = {-0.1, 0.6, 0.02}, .high = {0.1, 0.7, 0.02}},
                              .second = {.low = {-0.1, 0.8, 0.05}, .high = {0.1, 0.9, 0.3}},
                              .has_two = true,
                              .least_distance = 0.15},
                    .seen_goals = {.low = {-0.1, 0.8, 0.05}, .high = {0.1, 0.9, 0.3}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.target = goal.second;
    episode.object = goal.first;
    scene.SetObject(episode.object);
    scene.MoveSite("goal", episode.target);
    episode.farthest = Norm(episode.tcp - episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen&) const override {
    const Vector target = scene.episode().target;
    const double distance = Norm(scene.tcp() - target);
    const double margin = Norm(description().hand - target);
    const double in_place = Within(distance, {.low = 0.0, .high = kRadius}, margin);
    return {.reward = 10.0 * in_place, .to_target = distance, .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen&) const override {
    const Episode& episode = scene.episode();
    const double distance = Norm(scene.tcp() - episode.target);
    return {.reward = AtLeastZero(Closeness(episode.farthest, distance)), .to_target = distance};
  }

  Infos Report(const Scene&, const Seen&, const Measures& measures) const override {
    return {.success = measures.to_target <= kRadius ? 1.0 : 0.0,
            .near_object = measures.to_target,
            .grasp_success = 1.0,
            .grasp_reward = measures.to_target,
            .in_place_reward = measures.in_place.value(),
            .obj_to_target = measures.to_target};
  }

 protected:
  static constexpr double kRadius = 0.05;  // m
};

class ReachWallRules final : public ReachRules {
 public:
  ReachWallRules()
      : ReachRules({.name = "ReachWall",
                    .model = "sawyer_reach_wall_v3",
                    .hand = {0.0, 0.6, 0.2},
                    .reach = kReach,
                    .goals = {.first = {.low = {-0.05, 0.6, 0.015}, .high = {0.05, 0.65, 0.015}},
                              .second = {.low = {-0.05, 0.85, 0.05}, .high = {0.05, 0.9, 0.3}},
                              .has_two = true,
                              .least_distance = 0.15},
                    .seen_goals = {.low = {-0.05, 0.85, 0.05}, .high = {0.05, 0.9, 0.3}}}) {}

  Infos Report(const Scene&, const Seen&, const Measures& measures) const override {
    return {.success = measures.to_target <= kRadius ? 1.0 : 0.0,
            .near_object = 0.0,
            .grasp_success = 0.0,
            .grasp_reward = 0.0,
            .in_place_reward = measures.in_place.value(),
            .obj_to_target = measures.to_target};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_REACH_H_
