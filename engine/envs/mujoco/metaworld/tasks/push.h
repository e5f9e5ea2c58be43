// push, push-wall and push-back: slide a puck to a place.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PUSH_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PUSH_H_

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class PushRules : public Rules {
 public:
  explicit PushRules(Description description) : Rules(description) {}
  PushRules()
      : PushRules({.name = "Push",
                   .model = "sawyer_push_v3",
                   .hand = {0.0, 0.6, 0.2},
                   .reach = kReach,
                   .goals = {.first = {.low = {-0.1, 0.6, 0.02}, .high = {0.1, 0.7, 0.02}},
                             .second = {.low = {-0.1, 0.8, 0.01}, .high = {0.1, 0.9, 0.02}},
                             .has_two = true,
                             .least_distance = 0.15},
                   .seen_goals = {.low = {-0.1, 0.8, 0.01}, .high = {0.1, 0.9, 0.02}},
                   .success = 0.05,
                   .near = 0.03,
                   .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceAt(scene, goal, scene.Body("obj").z);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double to_object = Norm(seen.object - scene.tcp());
    const double to_target = Norm(seen.object - episode.target);
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - episode.target));
    const Scalar grasp = GraspOf(scene, seen);
    Scalar reward = 2.0 * grasp;
    if (to_object < 0.02 && seen.opening > 0.0) reward += 1.0 + reward + 5.0 * in_place;
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = NormXy(seen.object - episode.target);
    return {.reward = MoveReward(Norm(scene.tcp() - seen.object), episode.farthest, distance),
            .to_target = distance};
  }

 protected:
  static constexpr double kRadius = 0.05;  // m

  // Places the puck, and the goal at its height.
  static void PlaceAt(Scene& scene, const GoalVector& goal, double height) {
    Episode& episode = scene.episode();
    episode.target = {goal.second.x, goal.second.y, height};
    episode.object = {goal.first.x, goal.first.y, height};
    scene.SetObject(episode.object);
    scene.MoveSite("goal", episode.target);
    episode.farthest = NormXy(episode.object - episode.target);
  }

  static Scalar GraspOf(const Scene& scene, const Seen& seen) {
    return GripReward(scene, seen.grip, seen.object, scene.episode().object,
                      {.object_radius = 0.015,
                       .pad_distance = 0.05,
                       .reach_radius = 0.01,
                       .xz_distance = 0.005,
                       .density = Density::kHigh});
  }
};

class PushWallRules final : public PushRules {
 public:
  PushWallRules()
      : PushRules({.name = "PushWall",
                   .model = "sawyer_push_wall_v3",
                   .hand = {0.0, 0.6, 0.2},
                   .reach = kReach,
                   .goals = {.first = {.low = {-0.05, 0.6, 0.015}, .high = {0.05, 0.65, 0.015}},
                             .second = {.low = {-0.05, 0.85, 0.01}, .high = {0.05, 0.9, 0.02}},
                             .has_two = true,
                             .least_distance = 0.15},
                   .seen_goals = {.low = {-0.05, 0.85, 0.01}, .high = {0.05, 0.9, 0.02}},
                   .success = 0.07,
                   .near = 0.03,
                   .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceAt(scene, goal, scene.Geom("objGeom").z);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Geom("objGeom"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {3.0, 1.0, 1.0};
    const Episode& episode = scene.episode();
    const Vector midpoint = {-0.05, 0.77, seen.object.z};
    const double to_object = Norm(seen.object - scene.tcp());
    const double to_target = Norm(seen.object - episode.target);
    const double past_wall =
        Within(Norm((seen.object - midpoint) * kScale), {.low = 0.0, .high = kRadius},
               Norm((episode.object - midpoint) * kScale));
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - episode.target));
    const Scalar grasp = GraspOf(scene, seen);
    Scalar reward = 2.0 * grasp;
    if (to_object < 0.02 && seen.opening > 0.0) {
      reward = 2.0 * grasp + 1.0 + 4.0 * past_wall;
      if (seen.object.y > 0.75) reward = 2.0 * grasp + 1.0 + 4.0 + 3.0 * in_place;
    }
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }
};

class PushBackRules final : public PushRules {
 public:
  PushBackRules()
      : PushRules({.name = "PushBack",
                   .model = "sawyer_push_back_v3",
                   .hand = Float32(0.0, 0.6, 0.2),
                   .reach = kReach,
                   .goals = {.first = {.low = {-0.1, 0.8, 0.02}, .high = {0.1, 0.85, 0.02}},
                             .second = {.low = {-0.1, 0.6, 0.0199}, .high = {0.1, 0.7, 0.0201}},
                             .has_two = true,
                             .least_distance = 0.15},
                   .seen_goals = {.low = {-0.1, 0.6, 0.0199}, .high = {0.1, 0.7, 0.0201}},
                   .success = 0.07,
                   .near = 0.03,
                   .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceAt(scene, goal, scene.Geom("objGeom").z);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Geom("objGeom"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double to_object = Norm(seen.object - scene.tcp());
    const double to_target = Norm(seen.object - episode.target);
    const double at_start = Norm(episode.object - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius}, at_start);
    const double grasp = PadReward(
        scene, seen.object, {.object_radius = 0.007, .grip_margin = 0.003, .xz_distance = 0.01});
    Scalar reward = Product(grasp, in_place);
    if (to_object < 0.01 && 0.0 < seen.opening && seen.opening < 0.55 &&
        at_start - to_target > 0.01) {
      reward += 1.0 + 5.0 * in_place;
    }
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PUSH_H_
