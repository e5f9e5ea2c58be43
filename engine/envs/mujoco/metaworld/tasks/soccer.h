// soccer: push a ball into a goal.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SOCCER_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SOCCER_H_

#include <cmath>

#include "engine/base/numpy_arrays.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class SoccerRules final : public Rules {
 public:
  SoccerRules()
      : Rules({.name = "Soccer",
               .model = "sawyer_soccer",
               .hand = {0.0, 0.6, 0.2},
               .reach = kReach,
               .goals = {.first = {.low = {-0.1, 0.6, 0.03}, .high = {0.1, 0.7, 0.03}},
                         .second = {.low = {-0.1, 0.8, 0.0}, .high = {0.1, 0.9, 0.0}},
                         .has_two = true,
                         .least_distance = 0.15},
               .seen_goals = {.low = {-0.1, 0.8, 0.0}, .high = {0.1, 0.9, 0.0}},
               .success = 0.07,
               .near = 0.03,
               .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.target = goal.second;
    episode.object = {goal.first.x, goal.first.y, 0.03};
    scene.MoveBody("goal_whole", episode.target);
    scene.SetObject(episode.object);
    episode.farthest = NormXy(episode.object - episode.target);
    scene.MoveSite("goal", episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("soccer_ball"), scene.RotationOfBody("soccer_ball"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.07;  // m
    constexpr Vector kScale = {3.0, 1.0, 1.0};
    const Episode& episode = scene.episode();
    const Vector object = seen.object;
    const double to_target = Norm((object - episode.target) * kScale);
    // The reference's margin is the distance from the start.
    double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm((object - episode.object) * kScale));
    const double line = episode.target.y - 0.1;
    if (object.y > line && std::abs(object.x - episode.target.x) > 0.1) {
      in_place = Clip(in_place - 2.0 * ((object.y - line) / (1.0 - line)), 0.0, 1.0);
    }
    const double grasp = PadReward(
        scene, object, {.object_radius = 0.013, .grip_margin = 0.01, .xz_distance = 0.005});
    return {.reward = to_target < kRadius ? 10.0 : 3.0 * grasp + 6.5 * in_place,
            .to_object = Norm(object - scene.tcp()),
            .opening = seen.opening,
            .to_target = Norm(object - episode.target),
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = NormXy(seen.object - episode.target);
    return {.reward = MoveReward(Norm(scene.tcp() - seen.object), episode.farthest, distance),
            .to_target = distance};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SOCCER_H_
