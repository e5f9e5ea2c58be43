// coffee-pull and coffee-push: pull a mug away from a coffee machine, or push it there.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_COFFEE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_COFFEE_H_

#include <array>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class CoffeeRules : public Rules {
 public:
  using Rules::Rules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.RotationOfGeom("mug"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {2.0, 2.0, 1.0};
    const Episode& episode = scene.episode();
    const Vector way = seen.object - episode.target;
    const double scaled = Norm(way * kScale);
    const double in_place = Within(scaled, {.low = 0.0, .high = 0.05},
                                   Norm((episode.object - episode.target) * kScale));
    const double to_object = Norm(seen.object - scene.tcp());
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.02,
                                     .pad_distance = 0.05,
                                     .reach_radius = 0.04,
                                     .xz_distance = 0.05,
                                     .effort = 0.7,
                                     .density = Density::kMedium});
    Scalar reward = Product(grasp, in_place);
    if (to_object < 0.04 && seen.opening > 0.0) reward += 1.0 + 5.0 * in_place;
    if (scaled < 0.05) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = Norm(way),
            .grasp = grasp,
            .in_place = in_place};
  }

 protected:
  static constexpr Space kNear = {.low = {-0.05, 0.7, -0.001}, .high = {0.05, 0.75, 0.001}};

  // Places the mug, and the machine behind a position.
  static void PlaceMug(Scene& scene, const GoalVector& goal, Vector before_machine) {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.Set(0, std::array{goal.first.x, goal.first.y, goal.first.z}, 9, 6);
    scene.MoveBody("coffee_machine", before_machine + Vector{0.0, 0.22, 0.0});
    episode.target = goal.second;
    scene.MoveSite("mug_goal", episode.target);
    episode.farthest = NormXy(episode.object - episode.target);
  }
};

class CoffeePullRules final : public CoffeeRules {
 public:
  CoffeePullRules()
      : CoffeeRules({.name = "CoffeePull",
                     .model = "sawyer_coffee",
                     .hand = {0.0, 0.4, 0.2},
                     .reach = kReach,
                     .goals = {.first = kNear,
                               .second = {.low = {-0.1, 0.55, -0.001}, .high = {0.1, 0.65, 0.001}},
                               .has_two = true,
                               .least_distance = 0.15},
                     .seen_goals = {.low = {-0.1, 0.55, -0.001}, .high = {0.1, 0.65, 0.001}},
                     .success = 0.07,
                     .near = 0.03,
                     .grasp = Grasp::kTouching,
                     .touched = "mug"}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceMug(scene, goal, goal.first);
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr double kClose = 0.05;  // m
    const Episode& episode = scene.episode();
    const double reach = Norm(scene.tcp() - seen.object);
    // The reference's distance in x and y is that of the object from the origin.
    const double xy = Norm(Vector{seen.object.x, seen.object.y, episode.tcp.z});
    double reward = -xy;
    if (xy < kClose) {
      reward = -reach + 0.1;
      if (reach < kClose) {
        reward = (Scalar::Float64(reward) + AtLeastZero(seen.grip) / 50.0).value();
      }
    }
    const double distance = NormXy(seen.object - episode.target);
    const double pull =
        reach < kClose ? AtLeastZero(Closeness(episode.farthest, distance)).value() : 0.0;
    return {.reward = reward + pull, .to_target = Norm(seen.object - episode.target)};
  }
};

class CoffeePushRules final : public CoffeeRules {
 public:
  CoffeePushRules()
      : CoffeeRules({.name = "CoffeePush",
                     .model = "sawyer_coffee",
                     .hand = {0.0, 0.4, 0.2},
                     .reach = kReach,
                     .goals = {.first = {.low = {-0.1, 0.55, -0.001}, .high = {0.1, 0.65, 0.001}},
                               .second = kNear,
                               .has_two = true,
                               .least_distance = 0.15},
                     .seen_goals = kNear,
                     .success = 0.07,
                     .near = 0.03,
                     .grasp = Grasp::kTouching,
                     .touched = "mug"}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceMug(scene, goal, goal.second);
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = NormXy(seen.object - episode.target);
    return {.reward = MoveReward(Norm(scene.tcp() - seen.object), episode.farthest, distance),
            .to_target = Norm(seen.object - episode.target)};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_COFFEE_H_
