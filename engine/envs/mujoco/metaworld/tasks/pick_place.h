// pick-place and pick-place-wall: pick up a puck and hold it at a place.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PICK_PLACE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PICK_PLACE_H_

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class PickPlaceRules : public Rules {
 public:
  explicit PickPlaceRules(Description description) : Rules(description) {}
  PickPlaceRules()
      : PickPlaceRules({.name = "PickPlace",
                        .model = "sawyer_pick_place_v3",
                        .hand = {0.0, 0.6, 0.2},
                        .reach = kReach,
                        .goals = {.first = {.low = {-0.1, 0.6, 0.02}, .high = {0.1, 0.7, 0.02}},
                                  .second = {.low = {-0.1, 0.8, 0.05}, .high = {0.1, 0.9, 0.3}},
                                  .has_two = true,
                                  .least_distance = 0.15},
                        .seen_goals = {.low = {-0.1, 0.8, 0.05}, .high = {0.1, 0.9, 0.3}},
                        .success = 0.07,
                        .near = 0.03,
                        .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.target = goal.second;
    episode.object = goal.first;
    scene.SetObject(episode.object);
    scene.MoveSite("goal", episode.target);
    episode.height = scene.Geom("objGeom").z;
    episode.height_target = episode.height + kLift;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double to_target = Norm(seen.object - episode.target);
    const double to_object = Norm(seen.object - scene.tcp());
    const double margin = Norm(episode.object - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius}, margin);
    const Scalar grasp = GraspOf(scene, seen);
    Scalar reward = Product(grasp, in_place);
    if (to_object < 0.02 && seen.opening > 0.0 && seen.object.z - 0.01 > episode.object.z) {
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

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const double distance = Norm(seen.object - scene.episode().target);
    return {.reward = LiftReward(scene, LiftOf(scene, seen.object, distance), seen.grip),
            .to_target = distance};
  }

 protected:
  static constexpr double kRadius = 0.05;  // m
  static constexpr double kLift = 0.04;    // m

 private:
  static Scalar GraspOf(const Scene& scene, const Seen& seen) {
    constexpr double kObjectRadius = 0.015;  // m
    constexpr double kDistance = 0.005;      // m
    constexpr double kCaged = 0.97;
    const double caging = Caging(scene, seen.object, kObjectRadius, kDistance);
    const Scalar gripping = caging > kCaged ? Closing(seen.grip) : Scalar(0.0);
    return (Product(caging, gripping) + caging) / 2.0;
  }
};

class PickPlaceWallRules final : public PickPlaceRules {
 public:
  PickPlaceWallRules()
      : PickPlaceRules(
            {.name = "PickPlaceWall",
             .model = "sawyer_pick_place_wall_v3",
             .hand = {0.0, 0.6, 0.2},
             .reach = kReach,
             .goals = {.first = {.low = {-0.05, 0.6, 0.015}, .high = {0.05, 0.65, 0.015}},
                       .second = {.low = {-0.05, 0.85, 0.05}, .high = {0.05, 0.9, 0.3}},
                       .has_two = true,
                       .least_distance = 0.15},
             .seen_goals = {.low = {-0.05, 0.85, 0.05}, .high = {0.05, 0.9, 0.3}},
             .success = 0.07,
             .near = 0.03,
             .grasp = Grasp::kLifted}) {}

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Geom("objGeom"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {1.0, 1.0, 3.0};
    const Episode& episode = scene.episode();
    const Vector target = episode.target;
    const Vector midpoint = {target.x, 0.77, 0.25};
    const double to_object = Norm(seen.object - scene.tcp());
    const double to_target = Norm(seen.object - target);
    const double over_wall =
        Within(Norm((seen.object - midpoint) * kScale), {.low = 0.0, .high = kRadius},
               Norm((episode.object - midpoint) * kScale));
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - target));
    const Scalar grasp = GripReward(
        scene, seen.grip, seen.object, episode.object,
        {.object_radius = 0.015, .pad_distance = 0.05, .reach_radius = 0.01, .xz_distance = 0.005});
    const Scalar both = Product(grasp, over_wall);
    Scalar reward = both;
    if (to_object < 0.02 && seen.opening > 0.0 && seen.object.z - 0.015 > episode.object.z) {
      reward = both + 1.0 + 4.0 * over_wall;
      if (seen.object.y > 0.75) reward = both + 1.0 + 4.0 + 3.0 * in_place;
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

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PICK_PLACE_H_
