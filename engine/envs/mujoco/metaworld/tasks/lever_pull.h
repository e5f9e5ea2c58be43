// lever-pull: lift a lever.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_LEVER_PULL_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_LEVER_PULL_H_

#include <cmath>
#include <numbers>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class LeverPullRules final : public Rules {
 public:
  LeverPullRules()
      : Rules({.name = "LeverPull",
               .model = "sawyer_lever_pull",
               .hand = Float32(0.0, 0.4, 0.2),
               .reach = kLowReach,
               .goals = {.first = {.low = {-0.1, 0.7, 0.0}, .high = {0.1, 0.8, 0.0}}},
               .seen_goals = kLowReach}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.MoveBody("lever", episode.object);
    episode.extra = episode.object + Vector{0.12, -kRadius, 0.25};
    episode.target = episode.object + Vector{0.12, 0.0, 0.25 + kRadius};
    scene.MoveSite("goal", episode.target);
    episode.farthest = Norm(episode.target - episode.object);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("leverStart"), scene.RotationOfGeom("objGeom"));
  }

  // Measures.to_object is the scaled distance, and .to_target the angle (radians) from the end.
  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {4.0, 1.0, 4.0};
    constexpr Vector kOffset = {0.0, 0.055, 0.07};  // of the shoulder of the gripper
    constexpr double kPi = std::numbers::pi;
    const Episode& episode = scene.episode();
    const double to_lever = Norm((seen.hand + kOffset - seen.object) * kScale);
    const double ready = Within(to_lever, {.low = 0.0, .high = 0.02},
                                Norm((episode.tcp + kOffset - episode.extra) * kScale));
    const double angle = -scene.Joint("LeverAxis");
    const double error = std::abs(angle - kPi / 2.0);
    const double engaged = Within(error, {.low = 0.0, .high = kPi / 48.0}, kPi / 2.0 - kPi / 12.0);
    const double in_place = Within(Norm(seen.object - episode.target), {.low = 0.0, .high = 0.04},
                                   Norm(episode.extra - episode.target));
    return {.reward = 10.0 * Product(ready, in_place),
            .to_object = to_lever,
            .to_target = error,
            .grasp = ready,
            .in_place = engaged};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = Norm(seen.object - episode.target);
    return {.reward = MoveReward(Norm(seen.object - scene.tcp()), episode.farthest, distance),
            .to_target = distance};
  }

  Infos Report(const Scene&, const Seen&, const Measures& measures) const override {
    return {.success = measures.to_target <= std::numbers::pi / 24.0 ? 1.0 : 0.0,
            .near_object = measures.to_object < 0.03 ? 1.0 : 0.0,
            .grasp_success = measures.grasp.value() > 0.9 ? 1.0 : 0.0,
            .grasp_reward = measures.grasp.value(),
            .in_place_reward = measures.in_place.value(),
            .obj_to_target = measures.to_object};
  }

 private:
  static constexpr double kRadius = 0.2;  // m, of the lever
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_LEVER_PULL_H_
