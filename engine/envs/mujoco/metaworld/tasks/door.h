// door-open and door-close: turn a door by its handle.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DOOR_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DOOR_H_

#include <array>
#include <cmath>
#include <numbers>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

// What both tasks share: `Base` is Rules, or GradedRules.
template <class Base>
class DoorRules : public Base {
 public:
  using Base::Base;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Geom("handle"), scene.RotationOfGeom("handle"));
  }

 protected:
  static void PlaceDoor(Scene& scene, const GoalVector& goal, Vector way, double angle) {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.target = episode.object + way;
    scene.MoveBody("door", episode.object);
    scene.MoveSite("goal", episode.target);
    scene.Set(scene.JointPlace("doorjoint"), std::array{angle}, scene.JointVelocity("doorjoint"),
              1);
    episode.farthest = NormXy(scene.Geom("handle") - episode.target);
  }

  static double Distance(const Scene& scene, const Seen& seen) {
    return NormXy(seen.object - scene.episode().target);
  }
  static double EarlierOf(const Scene& scene, const Seen& seen) {
    return MoveReward(Norm(seen.object - scene.tcp()), scene.episode().farthest,
                      Distance(scene, seen));
  }
};

class DoorOpenRules final : public DoorRules<GradedRules> {
 public:
  DoorOpenRules()
      : DoorRules({.name = "DoorOpen",
                   .model = "sawyer_door_pull",
                   .hand = {0.0, 0.6, 0.2},
                   .reach = kReach,
                   .goals = {.first = {.low = {0.0, 0.85, 0.15}, .high = {0.1, 0.95, 0.15}}},
                   .seen_goals = {.low = {-0.3, 0.4, 0.1499}, .high = {-0.2, 0.5, 0.1501}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceDoor(scene, goal, {-0.3, -0.45, 0.0}, 0.0);
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const double angle = scene.Joint("doorjoint");
    const double effort = Effort(seen.grip);
    const double ready = ReadyToOpen(seen);
    constexpr double kPi = std::numbers::pi;
    const double opened =
        0.2 * (angle < -kPi / 90.0 ? 1.0 : 0.0) +
        0.8 * Within(kPi / 2.0 + kPi / 6.0 - -angle, {.low = 0.0, .high = 0.5}, kPi / 3.0);
    Scalar reward = 2.0 * Product(ready, effort) + 8.0 * opened;
    const bool is_success = IsSuccess(scene, seen);
    if (is_success) reward = 10.0;
    return {.reward = reward,
            .grasp = effort,
            .in_place = opened,
            .is_success = is_success,
            .ready = ready};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    return {.reward = EarlierOf(scene, seen), .is_success = IsSuccess(scene, seen)};
  }

 private:
  static bool IsSuccess(const Scene& scene, const Seen& seen) {
    return std::abs(seen.object.x - scene.episode().target.x) <= 0.08;
  }

  static double ReadyToOpen(const Seen& seen) {
    constexpr double kThreshold = 0.12;  // m
    const Vector door = seen.object + Vector{-0.05, 0.0, 0.0};
    const double radius = NormXy(seen.hand - door);
    const double floor = radius <= kThreshold ? 0.0 : 0.04 * NumpyLog(radius - kThreshold) + 0.4;
    const double above_floor =
        seen.hand.z >= floor ? 1.0
                             : Within(floor - seen.hand.z, {.low = 0.0, .high = 0.01}, floor / 2.0);
    const double in_place = Within(Norm(seen.hand - door - Vector{0.05, 0.03, -0.01}),
                                   {.low = 0.0, .high = kThreshold / 2.0}, 0.5);
    return Product(above_floor, in_place).value();
  }
};

class DoorCloseRules final : public DoorRules<Rules> {
 public:
  DoorCloseRules()
      : DoorRules({.name = "DoorClose",
                   .model = "sawyer_door_pull",
                   .hand = Float32(-0.5, 0.6, 0.2),
                   .reach = kReach,
                   .goals = {.first = {.low = {0.0, 0.85, 0.15}, .high = {0.1, 0.95, 0.15}}},
                   .seen_goals = {.low = {0.2, 0.65, 0.1499}, .high = {0.3, 0.75, 0.1501}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceDoor(scene, goal, {0.2, -0.2, 0.0}, -1.5708);
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.05;  // m
    const Episode& episode = scene.episode();
    const double of_hand = Norm(scene.tcp() - episode.target);
    const double to_target = Norm(seen.object - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   Norm(episode.object - episode.target), Sigmoid::kGaussian);
    const double hand_in_place =
        Within(of_hand, {.low = 0.0, .high = 0.25 * kRadius},
               Norm(description().hand - seen.object) + 0.1, Sigmoid::kGaussian);
    const double reward = to_target < kRadius ? 10.0 : 3.0 * hand_in_place + 6.0 * in_place;
    return {.reward = reward, .to_target = to_target, .in_place = hand_in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    return {.reward = EarlierOf(scene, seen), .to_target = Distance(scene, seen)};
  }

  Infos Report(const Scene&, const Seen&, const Measures& measures) const override {
    return {.success = measures.to_target <= 0.08 ? 1.0 : 0.0,
            .near_object = 0.0,
            .grasp_success = 1.0,
            .grasp_reward = 1.0,
            .in_place_reward = measures.in_place.value(),
            .obj_to_target = measures.to_target};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DOOR_H_
