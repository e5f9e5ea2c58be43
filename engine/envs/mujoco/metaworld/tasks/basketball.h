// basketball: drop a ball into a basket.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BASKETBALL_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BASKETBALL_H_

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class BasketballRules final : public Rules {
 public:
  BasketballRules()
      : Rules({.name = "Basketball",
               .model = "sawyer_basketball",
               .hand = Float32(0.0, 0.6, 0.2),
               .reach = kReach,
               .goals = {.first = {.low = {-0.1, 0.6, 0.0299}, .high = {0.1, 0.7, 0.0301}},
                         .second = {.low = {-0.1, 0.85, 0.0}, .high = {0.1, 0.9 + 1e-7, 0.0}},
                         .has_two = true,
                         .least_distance = 0.15},
               .seen_goals = {.low = Vector{-0.1, 0.85, 0.0} + Vector{0.0, -0.083, 0.2499},
                              .high = Vector{0.1, 0.9 + 1e-7, 0.0} + Vector{0.0, -0.083, 0.2501}},
               .success = kRadius,
               .near = 0.05,
               .grasp = Grasp::kRaised}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = {goal.first.x, goal.first.y, Float32(0.0, 0.0, 0.03).z};
    scene.MoveBody("basket_goal", goal.second);
    scene.SetObject(episode.object);
    // The target is the present place of the site.
    const Vector target = Target(scene);
    scene.MoveSite("goal", target);
    episode.height = scene.Geom("objGeom").z;
    episode.height_target = episode.height + 0.3;
    episode.farthest = FarthestLift(episode, episode.object, target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("bsktball"), scene.BodyRotation("bsktball"));
  }
  Vector Target(const Scene& scene) const override { return scene.Site("goal"); }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {1.0, 1.0, 2.0};
    const Vector start = scene.episode().object;
    Vector target = Target(scene);
    target.z = 0.3;
    const double to_target = Norm((seen.object - target) * kScale);
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm((start - target) * kScale));
    const double to_object = Norm(seen.object - scene.tcp());
    Scalar grasp = GripReward(scene, seen.grip, seen.object, start,
                              {.object_radius = 0.025,
                               .pad_distance = 0.06,
                               .reach_radius = 0.01,
                               .xz_distance = 0.005,
                               .density = Density::kHigh});
    const bool is_held = to_object < 0.035 && seen.opening > 0.0 && seen.object.z - 0.01 > start.z;
    if (is_held) grasp = 1.0;
    Scalar reward = Product(grasp, in_place);
    if (is_held) reward += 1.0 + 5.0 * in_place;
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const double distance = Norm(seen.object - Target(scene));
    return {.reward = LiftReward(scene, LiftOf(scene, seen.object, distance), seen.grip),
            .to_target = distance};
  }

 private:
  static constexpr double kRadius = 0.08;  // m
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BASKETBALL_H_
