// stick-push and stick-pull: push or pull a container with a stick.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_STICK_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_STICK_H_

#include <array>
#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

// Episode::extra is the start of the stick, and Episode::object that of the container.
class StickRules : public Rules {
 public:
  using Rules::Rules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("stick"), scene.RotationOfBody("stick"));
    to.Put(scene.Site("insertion") + handle(), kNoRotation);
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule{};
    const Episode& episode = scene.episode();
    // The reference reads the container's position two numbers too early.
    const Vector container = Vector::At(&seen.all[6]);
    const double distance = NormXy(container - episode.target);
    const double to_stick = Norm(seen.object - container);
    const Lift lift = LiftOf(scene, seen.object, distance);
    const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
    const double reach = lift.reach < kRule.close ? AtObject(lift.reach, seen.grip) : -lift.reach;
    double move = 0.0;
    if (is_held && lift.reach < kRule.place_near) {
      move = Closeness(episode.span, to_stick);
      if (to_stick < 0.05) move += Closeness(episode.farthest, distance, steepness());
      move = AtLeastZero(move).value();
    }
    return {.reward = reach + PickPart(episode, lift, kRule, is_held) + move,
            .to_target = distance};
  }

 protected:
  // Added to the position of the container's insertion in observations.
  virtual Vector handle() const { return {}; }
  virtual Steepness steepness() const = 0;

  static Vector Container(const Seen& seen) { return Vector::At(&seen.all[11]); }

  // Places both. `container` are the positions of its joints.
  static void PlaceBoth(Scene& scene, const std::array<double, 2>& container) {
    constexpr std::size_t kContainer = 16;  // its place in qpos and in qvel
    Episode& episode = scene.episode();
    scene.SetObject(episode.extra);
    scene.Set(kContainer, container, kContainer, 2);
    episode.object = scene.Body("object");
    scene.MoveSite("goal", episode.target);
    episode.height = scene.Body("stick").z;
    episode.height_target = episode.height + 0.04;
    episode.farthest = NormXy(episode.object - episode.target);
    episode.span = FarthestLift(episode, episode.object, episode.extra);
  }

  Infos ReportOf(const Measures& measures, bool is_success, bool is_grasped) const {
    return {.success = is_success ? 1.0 : 0.0,
            .near_object = measures.to_object <= 0.03 ? 1.0 : 0.0,
            .grasp_success = is_grasped ? 1.0 : 0.0,
            .grasp_reward = measures.grasp.value(),
            .in_place_reward = measures.in_place.value(),
            .obj_to_target = measures.to_target};
  }
};

class StickPushRules final : public StickRules {
 public:
  StickPushRules()
      : StickRules({.name = "StickPush",
                    .model = "sawyer_stick_obj",
                    .hand = {0.0, 0.6, 0.2},
                    .reach = kReach,
                    .goals = {.first = {.low = {-0.08, 0.58, 0.0}, .high = {-0.03, 0.62, 0.001}},
                              .second = kGoals,
                              .has_two = true,
                              .least_distance = 0.1},
                    .seen_goals = kGoals}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.extra = {goal.first.x, goal.first.y, 0.02};
    episode.target = {goal.second.x, goal.second.y, scene.Site("insertion").z};
    PlaceBoth(scene, {0.0, 0.0});
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Bounds kNear = {.low = 0.0, .high = kRadius};
    const Episode& episode = scene.episode();
    const Vector target = episode.target;
    const Vector stick = seen.object + Vector{0.015, 0.0, 0.0};
    const double to_object = Norm(stick - scene.tcp());
    const double of_stick =
        Within(Norm(stick - target), kNear, Norm(episode.extra - target) - kRadius);
    const double to_target = Norm(Container(seen) - target);
    const double of_container = Within(to_target, kNear, Norm(episode.object - target) - kRadius);
    Scalar grasp = GripReward(scene, seen.grip, stick, episode.extra,
                              {.object_radius = 0.04,
                               .pad_distance = 0.05,
                               .reach_radius = 0.01,
                               .xz_distance = 0.01,
                               .density = Density::kHigh});
    Scalar reward = grasp;
    if (to_object < 0.02 && seen.opening > 0.0 && stick.z - 0.01 > episode.extra.z) {
      grasp = 1.0;
      reward = to_target <= kRadius ? 10.0 : 2.0 + 5.0 * of_stick + 3.0 * of_container;
    }
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = of_stick};
  }

  Infos Report(const Scene& scene, const Seen& seen, const Measures& measures) const override {
    const Episode& episode = scene.episode();
    const bool is_grasped = measures.opening > 0.0 && seen.object.z - 0.01 > episode.extra.z &&
                            scene.Touches(description().touched);
    const bool is_there = Norm(Container(seen) - episode.target) <= kRadius;
    return ReportOf(measures, is_grasped && is_there, is_grasped);
  }

 protected:
  Vector handle() const override { return {0.0, 0.09, 0.0}; }
  Steepness steepness() const override {
    return {.wide = 0.001, .narrow = 0.0001, .weight = 2000.0};
  }

 private:
  static constexpr double kRadius = 0.12;  // m
  static constexpr Space kGoals = {.low = {0.399, 0.55, 0.1319}, .high = {0.401, 0.6, 0.1321}};
};

class StickPullRules final : public StickRules {
 public:
  StickPullRules()
      : StickRules({.name = "StickPull",
                    .model = "sawyer_stick_obj",
                    .hand = {0.0, 0.6, 0.2},
                    .reach = {.low = {-0.5, 0.35, 0.05}, .high = {0.5, 1.0, 0.5}},
                    .goals = {.first = {.low = {-0.1, 0.55, 0.0}, .high = {0.0, 0.65, 0.001}},
                              .second = kGoals,
                              .has_two = true,
                              .least_distance = 0.1},
                    .seen_goals = kGoals}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    constexpr double kHeight = 0.02;  // m
    Episode& episode = scene.episode();
    episode.extra = {goal.first.x, goal.first.y, kHeight};
    episode.target = {goal.second.x, goal.second.y, kHeight};
    PlaceBoth(scene, {0.0, 0.09});
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Bounds kNear = {.low = 0.0, .high = 0.05};
    constexpr Vector kScale = {1.0, 1.0, 2.0};
    constexpr Vector kMiddle = {0.05, 0.0, 0.0};  // of the container, from its handle
    const Episode& episode = scene.episode();
    const Vector target = episode.target;
    const Vector stick = seen.object;
    const Vector handle = Container(seen);
    const Vector container = handle + kMiddle;
    const double to_object = Norm(stick - scene.tcp());
    const double to_target = Norm(handle - target);
    const double at_container = Within(Norm((stick - container) * kScale), kNear,
                                       Norm((episode.extra - (episode.object + kMiddle)) * kScale));
    Scalar grasp = GripReward(scene, seen.grip, stick, episode.object,
                              {.object_radius = 0.014,
                               .pad_distance = 0.05,
                               .reach_radius = 0.01,
                               .xz_distance = 0.01,
                               .density = Density::kHigh});
    const bool is_held = to_object < 0.02 && seen.opening > 0.0 && stick.z - 0.01 > episode.extra.z;
    if (is_held) grasp = 1.0;
    const Scalar both = Product(grasp, at_container);
    Scalar reward = both;
    if (is_held) {
      reward = 1.0 + both + 5.0 * at_container;
      if (IsInserted(scene, handle)) {
        const double stick_there =
            Within(Norm(stick - target), kNear, Norm(episode.extra - target));
        const double container_there =
            Within(Norm(container - target), kNear, Norm(episode.object - target));
        reward = 1.0 + both + 5.0 + 2.0 * stick_there + 1.0 * container_there;
        if (to_target <= kRadius) reward = 10.0;
      }
    }
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = at_container};
  }

  Infos Report(const Scene& scene, const Seen& seen, const Measures& measures) const override {
    const Episode& episode = scene.episode();
    const Vector handle = Container(seen);
    const bool is_success = Norm(handle - episode.target) <= kRadius && IsInserted(scene, handle);
    const bool is_grasped = measures.opening > 0.0 && seen.object.z - 0.02 > episode.object.z &&
                            scene.Touches(description().touched);
    return ReportOf(measures, is_success, is_grasped);
  }

 protected:
  Steepness steepness() const override { return {.weight = 2000.0}; }

 private:
  static constexpr double kRadius = 0.12;  // m
  static constexpr Space kGoals = {.low = {0.35, 0.45, 0.0199}, .high = {0.45, 0.55, 0.0201}};

  static bool IsInserted(const Scene& scene, Vector handle) {
    const Vector end = scene.Site("stick_end");
    return end.x >= handle.x && std::abs(end.y - handle.y) <= 0.04 &&
           std::abs(end.z - handle.z) <= 0.06;
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_STICK_H_
