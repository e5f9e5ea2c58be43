// drawer-open and drawer-close: pull or push a drawer.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DRAWER_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DRAWER_H_

#include <array>
#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class DrawerRules : public Rules {
 public:
  using Rules::Rules;

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const double distance = std::abs(seen.object.y - scene.episode().target.y);
    return {.reward = MoveReward(Norm(seen.object - scene.tcp()), depth(), distance),
            .to_target = distance};
  }

 protected:
  static constexpr Space kDrawers = {.low = {-0.1, 0.9, 0.0}, .high = {0.1, 0.9, 0.0}};

  virtual double depth() const = 0;  // m, by which the drawer moves
};

class DrawerOpenRules final : public DrawerRules {
 public:
  DrawerOpenRules()
      : DrawerRules({.name = "DrawerOpen",
                     .model = "sawyer_drawer",
                     .hand = Float32(0.0, 0.6, 0.2),
                     .reach = kReach,
                     .goals = {.first = kDrawers},
                     .seen_goals = kReach,
                     .success = 0.03,
                     .near = 0.03,
                     .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.MoveBody("drawer", episode.object);
    episode.target = episode.object + Vector{0.0, -0.16 - kDepth, 0.09};
    scene.MoveSite("goal", episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("drawer_link") + Vector{0.0, -0.16, 0.0}, scene.BodyRotation("drawer_link"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {3.0, 3.0, 1.0};
    const Episode& episode = scene.episode();
    const double to_target = Norm(seen.object - episode.target);
    const double opening = Within(to_target, {.low = 0.0, .high = 0.02}, kDepth);
    const Vector start = episode.target + Vector{0.0, kDepth, 0.0};
    const double caging = Within(Norm((seen.object - seen.hand) * kScale),
                                 {.low = 0.0, .high = 0.01}, Norm((start - episode.tcp) * kScale));
    return {.reward = (caging + opening) * 5.0,
            .to_object = Norm(seen.object - seen.hand),
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = caging,
            .in_place = opening};
  }

 protected:
  double depth() const override { return kDepth; }

 private:
  static constexpr double kDepth = 0.2;  // m
};

class DrawerCloseRules final : public DrawerRules {
 public:
  DrawerCloseRules()
      : DrawerRules({.name = "DrawerClose",
                     .model = "sawyer_drawer",
                     .hand = Float32(0.0, 0.6, 0.2),
                     .reach = kReach,
                     .goals = {.first = kDrawers},
                     .seen_goals = kReach,
                     .success = kRadius + 0.015,
                     .near = 0.01}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    scene.MoveBody("drawer", goal.first);
    episode.target = goal.first + Vector{0.0, -0.16, 0.09};
    scene.Set(9, std::array{-kDepth}, 9, 0);
    episode.object = Handle(scene);
    scene.MoveSite("goal", episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(Handle(scene), kNoRotation);
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kReachRadius = 0.005;  // m
    const Episode& episode = scene.episode();
    const double to_target = Norm(seen.object - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   std::abs(Norm(episode.object - episode.target) - kRadius));
    const double to_object = Norm(seen.object - scene.tcp());
    const double reach =
        Within(to_object, {.low = 0.0, .high = kReachRadius},
               std::abs(Norm(episode.object - episode.tcp) - kReachRadius), Sigmoid::kGaussian);
    const Scalar grasp = Product(reach, Closing(seen.grip));
    Scalar reward = Product(grasp, in_place);
    if (to_target <= kRadius + 0.015) reward = 1.0;
    reward *= 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

 protected:
  double depth() const override { return kDepth; }

 private:
  static constexpr double kDepth = 0.15;   // m
  static constexpr double kRadius = 0.05;  // m

  static Vector Handle(const Scene& scene) {
    return scene.Body("drawer_link") + Vector{0.0, -0.16, 0.05};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DRAWER_H_
