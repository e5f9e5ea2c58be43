// hammer: drive a nail into a block with a hammer.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HAMMER_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HAMMER_H_

#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class HammerRules final : public GradedRules {
 public:
  HammerRules()
      : GradedRules(
            {.name = "Hammer",
             .model = "sawyer_hammer",
             .hand = {0.0, 0.4, 0.2},
             .reach = kReach,
             .goals = {.first = {.low = {-0.1, 0.4, 0.0}, .high = {0.1, 0.5, 0.0}}},
             .seen_goals = {.low = {0.2399, 0.7399, 0.109}, .high = {0.2401, 0.7401, 0.111}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    scene.MoveBody("box", {0.24, 0.85, 0.0});
    episode.target = scene.Site("goal");
    episode.object = goal.first;
    scene.SetObject(episode.object);
    episode.height = scene.Body("hammer").z;
    episode.height_target = episode.height + 0.09;
    episode.farthest = FarthestLift(episode, episode.object, episode.object) +
                       std::abs(episode.object.y - episode.target.y);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("hammer"), scene.BodyRotation("hammer"));
    to.Put(scene.Body("nail_link"), scene.BodyRotation("nail_link"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kHandle = 0.14;  // m, its length
    const Vector head = seen.object + Vector{0.16, 0.06, 0.0};
    Vector handle = seen.object;
    if (std::abs(handle.x - seen.hand.x) < kHandle / 2.0) handle.x = seen.hand.x;
    const double upright = Upright(seen, {1.0, 0.0, 0.0, 0.0}, 0.4);
    const Scalar grasp = GripReward(scene, seen.grip, handle, scene.episode().object,
                                    {.object_radius = 0.015,
                                     .pad_distance = 0.02,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.01,
                                     .density = Density::kHigh});
    const double in_place =
        0.1 * (head.z > 0.02 ? 1.0 : 0.0) +
        0.9 * Within(Norm(scene.episode().target - head), {.low = 0.0, .high = 0.02}, 0.2);
    Scalar reward = (2.0 * grasp + 6.0 * in_place) * upright;
    const bool is_success = IsNailIn(scene);
    if (is_success && reward > 5.0) reward = 10.0;
    return {.reward = reward,
            .grasp = grasp,
            .in_place = in_place,
            .is_success = is_success,
            .ready = upright};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule{};
    const Episode& episode = scene.episode();
    const Vector nail = scene.Site("nailHead");
    const double hammer = Norm(nail - scene.Geom("HammerHead"));
    const double depth = std::abs(nail.y - episode.target.y);
    const Lift lift = LiftOf(scene, seen.object, hammer);
    const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
    const double reach = lift.reach < kRule.close ? AtObject(lift.reach, seen.grip) : -lift.reach;
    double hit = 0.0;
    if (is_held && lift.reach < kRule.place_near) {
      constexpr double kSlope = 1000.0;
      const double near = kSlope * (episode.farthest - hammer - depth) + SteepPart(hammer + depth);
      hit = AtLeastZero(near).value();
    }
    return {.reward = reach + PickPart(episode, lift, kRule, is_held) + hit,
            .is_success = IsNailIn(scene)};
  }

 private:
  static bool IsNailIn(Scene& scene) {
    constexpr double kDepth = 0.09;  // m
    return scene.Joint("NailSlideJoint") > kDepth;
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HAMMER_H_
