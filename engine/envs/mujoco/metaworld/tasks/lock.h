// door-lock and door-unlock: turn the lock of a door.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_LOCK_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_LOCK_H_

#include <algorithm>
#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class LockRules : public Rules {
 public:
  using Rules::Rules;

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = Norm(seen.object - episode.target);
    return {.reward = MoveReward(Norm(seen.object - scene.tcp()), episode.farthest, distance),
            .to_target = distance};
  }

 protected:
  static constexpr double kLength = 0.1;  // m, of the lock
  static constexpr Space kDoors = {.low = {-0.1, 0.8, 0.15}, .high = {0.1, 0.85, 0.15}};

  static void SetTarget(Scene& scene, Vector way) {
    Episode& episode = scene.episode();
    const Vector lock = scene.Body("lock_link");
    episode.target = lock + way;
    episode.farthest = Norm(episode.target - lock);
  }
  static double Pressed(double to_target) {
    return Within(to_target, {.low = 0.0, .high = 0.005}, kLength);
  }
};

class DoorLockRules final : public LockRules {
 public:
  DoorLockRules()
      : LockRules({.name = "DoorLock",
                   .model = "sawyer_door_lock",
                   .hand = Float32(0.0, 0.6, 0.2),
                   .reach = kLowReach,
                   .goals = {.first = kDoors},
                   .seen_goals = kLowReach,
                   .success = 0.02,
                   .near = 0.05,
                   .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    scene.MoveBody("door", goal.first);
    scene.Advance(kSubsteps);
    SetTarget(scene, {0.0, -0.04, -0.1});
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("lockStartLock"), scene.BodyRotation("door_link"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {0.25, 1.0, 0.5};
    // The margin is the distance itself: the reference's start of the pad is its present place.
    const double to_object = Norm((seen.object - scene.left_pad()) * kScale);
    const double to_target = std::abs(scene.episode().target.z - seen.object.z);
    const double near = Within(to_object, {.low = 0.0, .high = 0.01}, to_object);
    const double pressed = Pressed(to_target);
    Scalar reward = 2.0 * Product(std::max(seen.opening, 0.0), near);
    reward += 8.0 * pressed;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = near,
            .in_place = pressed};
  }
};

class DoorUnlockRules final : public LockRules {
 public:
  DoorUnlockRules()
      : LockRules({.name = "DoorUnlock",
                   .model = "sawyer_door_lock",
                   .hand = Float32(0.0, 0.6, 0.2),
                   .reach = kLowReach,
                   .goals = {.first = kDoors},
                   .seen_goals = {.low = {0.0, 0.64, 0.21}, .high = {0.2, 0.7, 0.2111}},
                   .success = 0.02,
                   .near = 0.05,
                   .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    scene.MoveBody("door", goal.first);
    scene.SetJoint(1.5708);
    SetTarget(scene, {0.1, -0.04, 0.0});
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("lockStartUnlock"), scene.BodyRotation("door_link"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {0.25, 1.0, 0.5};
    constexpr Vector kOffset = {0.0, 0.055, 0.07};  // of the shoulder of the gripper
    const Episode& episode = scene.episode();
    const double to_object = Norm((seen.hand + kOffset - seen.object) * kScale);
    // The reference's start of the lock is its present place.
    const double margin = Norm((episode.tcp + kOffset - scene.Body("lock_link")) * kScale);
    const double ready = Within(to_object, {.low = 0.0, .high = 0.02}, margin);
    const double to_target = std::abs(episode.target.x - seen.object.x);
    const double pushed = Pressed(to_target);
    return {.reward = 2.0 * ready + 8.0 * pushed,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = ready,
            .in_place = pushed};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_LOCK_H_
