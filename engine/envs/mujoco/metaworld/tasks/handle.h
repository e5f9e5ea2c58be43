// handle-press, handle-press-side, handle-pull and handle-pull-side: move a handle down or up.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HANDLE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HANDLE_H_

#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class HandleRules : public Rules {
 public:
  using Rules::Rules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site(object()), kNoRotation);
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = std::abs(seen.object.z - episode.target.z);
    return {
        .reward = MoveReward(Norm(seen.object - scene.left_finger()), episode.farthest, distance),
        .to_target = distance};
  }

 protected:
  static constexpr Space kBoxes = {.low = {-0.1, 0.8, -0.001}, .high = {0.1, 0.9, 0.001}};

  virtual const char* object() const = 0;  // the site that observations have

  static void PlaceBox(Scene& scene, const GoalVector& goal, double position, const char* target) {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.MoveBody("box", episode.object);
    scene.SetJoint(position);
    episode.target = scene.Site(target);
    episode.farthest = std::abs(scene.Site("handleStart").z - episode.target.z);
  }
};

class HandlePressRules : public HandleRules {
 public:
  explicit HandlePressRules(Description description) : HandleRules(description) {}
  HandlePressRules()
      : HandlePressRules({.name = "HandlePress",
                          .model = "sawyer_handle_press",
                          .hand = {0.0, 0.6, 0.2},
                          .reach = kReach,
                          .goals = {.first = kBoxes},
                          .seen_goals = {.low = {-0.1, 0.55, 0.04}, .high = {0.1, 0.7, 0.08}},
                          .success = kRadius,
                          .near = 0.05}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceBox(scene, goal, -0.001, "goalPress");
    scene.episode().extra = scene.Site(object());
  }

  Measures Reward(Scene& scene, const Seen&) const override {
    constexpr double kHandle = 0.02;  // m
    const Episode& episode = scene.episode();
    const Vector handle = scene.Site(object());
    const double to_target = Norm(handle.z - episode.target.z);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   std::abs(Norm(episode.extra.z - episode.target.z) - kRadius));
    const double to_object = Norm(handle - scene.tcp());
    const double reach = Within(to_object, {.low = 0.0, .high = kHandle},
                                std::abs(Norm(episode.extra - episode.tcp) - kHandle));
    const Scalar both = Product(reach, in_place);
    return {.reward = (to_target <= kRadius ? Scalar(1.0) : both) * 10.0,
            .to_object = to_object,
            .to_target = to_target,
            .grasp = reach,
            .in_place = in_place};
  }

 protected:
  static constexpr double kRadius = 0.02;  // m

  const char* object() const override { return "handleStart"; }
};

class HandlePressSideRules final : public HandlePressRules {
 public:
  HandlePressSideRules()
      : HandlePressRules(
            {.name = "HandlePressSide",
             .model = "sawyer_handle_press_sideways",
             .hand = {0.0, 0.6, 0.2},
             .reach = kReach,
             .goals = {.first = {.low = {-0.35, 0.65, -0.001}, .high = {-0.25, 0.75, 0.001}}},
             .seen_goals = kReach,
             .success = kRadius,
             .near = 0.05}) {}
};

class HandlePullRules final : public HandleRules {
 public:
  HandlePullRules()
      : HandleRules({.name = "HandlePull",
                     .model = "sawyer_handle_press",
                     .hand = {0.0, 0.6, 0.2},
                     .reach = kReach,
                     .goals = {.first = kBoxes},
                     .seen_goals = {.low = {-0.1, 0.55, 0.04}, .high = {0.1, 0.7, 0.18}},
                     .success = kRadius,
                     .near = 0.05,
                     .grasp = Grasp::kRaised}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceBox(scene, goal, -0.1, "goalPull");
    Episode& episode = scene.episode();
    episode.farthest = std::abs(scene.SitePlace("handleStart").z - episode.target.z);
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double to_target = std::abs(episode.target.z - seen.object.z);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   std::abs(episode.target.z - episode.object.z));
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.022,
                                     .pad_distance = 0.05,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.01,
                                     .density = Density::kHigh});
    Scalar reward = Product(grasp, in_place);
    const double to_object = Norm(seen.object - scene.tcp());
    // The reference compares y with z here.
    if (to_object < 0.035 && seen.opening > 0.0 && seen.object.y - 0.01 > episode.object.z) {
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

 protected:
  const char* object() const override { return "handleRight"; }

 private:
  static constexpr double kRadius = 0.05;  // m
};

class HandlePullSideRules final : public HandleRules {
 public:
  HandlePullSideRules()
      : HandleRules({.name = "HandlePullSide",
                     .model = "sawyer_handle_press_sideways",
                     .hand = {0.0, 0.6, 0.2},
                     .reach = kReach,
                     .goals = {.first = {.low = {-0.35, 0.65, 0.0}, .high = {-0.25, 0.75, 0.0}}},
                     .seen_goals = kReach,
                     .success = 0.08,
                     .near = 0.05,
                     .grasp = Grasp::kRaised}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceBox(scene, goal, -0.1, "goalPull");
    scene.episode().object = scene.Site(object());
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.05;  // m
    const Episode& episode = scene.episode();
    const double to_target = Norm(seen.object - episode.target);
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - episode.target));
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.032,
                                     .pad_distance = 0.06,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.01,
                                     .density = Density::kHigh});
    Scalar reward = Product(grasp, in_place);
    const double to_object = Norm(seen.object - scene.tcp());
    if (to_object < 0.035 && seen.opening > 0.0 && seen.object.z - 0.01 > episode.object.z) {
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

 protected:
  const char* object() const override { return "handleCenter"; }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_HANDLE_H_
