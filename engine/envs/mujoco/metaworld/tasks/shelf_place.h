// shelf-place: put a puck onto a shelf.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SHELF_PLACE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SHELF_PLACE_H_

#include "engine/base/numpy_arrays.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class ShelfPlaceRules final : public Rules {
 public:
  ShelfPlaceRules()
      : Rules({.name = "ShelfPlace",
               .model = "sawyer_shelf_placing",
               .hand = Float32(0.0, 0.6, 0.2),
               .reach = kReach,
               .goals = {.first = {.low = {-0.1, 0.5, 0.019}, .high = {0.1, 0.6, 0.021}},
                         .second = {.low = {-0.1, 0.8, 0.299}, .high = {0.1, 0.9, 0.301}},
                         .has_two = true,
                         .least_distance = 0.1},
               .seen_goals = {.low = {-0.1, 0.8, 0.299}, .high = {0.1, 0.9, 0.301}},
               .success = 0.07,
               .near = 0.03,
               .grasp = Grasp::kLifted}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = {goal.first.x, goal.first.y, scene.Body("obj").z};
    scene.MoveBody("shelf", goal.second - Vector{0.0, 0.0, 0.3});
    scene.Forward();
    episode.target = scene.SitePlace("goal") + scene.BodyPlace("shelf");
    scene.SetObject(episode.object);
    scene.MoveMark("goal", episode.target);
    episode.height = scene.Geom("objGeom").z;
    episode.height_target = episode.height + 0.04;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.RotationOfGeom("objGeom"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const Vector object = seen.object;
    const double to_target = Norm(object - episode.target);
    const double to_object = Norm(object - scene.tcp());
    const double near_target =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - episode.target));
    const Scalar grasp = GripReward(
        scene, seen.grip, object, episode.object,
        {.object_radius = 0.02, .pad_distance = 0.05, .reach_radius = 0.01, .xz_distance = 0.01});
    Scalar reward = Product(grasp, near_target);
    const Scalar in_place = OutsideOfShelf(object, episode.target, near_target);
    if (to_object < 0.025 && seen.opening > 0.0 && object.z - 0.01 > episode.object.z) {
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

 private:
  static constexpr double kRadius = 0.05;  // m

  // Returns what is left of a value if the object is below the shelf, or in front of it.
  static Scalar OutsideOfShelf(Vector object, Vector target, double value) {
    constexpr double kShelf = 0.24;      // m, its height
    constexpr double kHalfWidth = 0.15;  // m
    const double front = target.y - 3.0 * kRadius;
    const bool is_at_shelf = 0.0 < object.z && object.z < kShelf &&
                             target.x - kHalfWidth < object.x && object.x < target.x + kHalfWidth;
    if (!is_at_shelf) return value;
    if (object.y > target.y) return 0.0;
    if (!(front < object.y && object.y < target.y)) return value;
    const double in_z = (kShelf - object.z) / kShelf;
    const double in_y = (object.y - front) / (3.0 * kRadius);
    const double loss = Product(in_y, in_z).value();
    return Scalar::Float64(Clip(value - loss, 0.0, 1.0));
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SHELF_PLACE_H_
