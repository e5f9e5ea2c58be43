// faucet-open and faucet-close: turn the handle of a faucet.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_FAUCET_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_FAUCET_H_

#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class FaucetRules : public Rules {
 public:
  using Rules::Rules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site(handle()) + Vector{0.0, 0.0, -0.01}, scene.BodyRotation("faucetBase"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.07;       // m
    constexpr double kReachRadius = 0.01;  // m
    const Episode& episode = scene.episode();
    const Vector object = seen.object + offset();
    const double to_target = Norm(object - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   std::abs(Norm(episode.object - episode.target) - kRadius));
    const double to_object = Norm(object - scene.tcp());
    const double reach =
        Within(to_object, {.low = 0.0, .high = kReachRadius},
               std::abs(Norm(episode.object - episode.tcp) - kReachRadius), Sigmoid::kGaussian);
    const double reward = (2.0 * reach + 3.0 * in_place) * 2.0;
    return {.reward = to_target <= kRadius ? 10.0 : reward,
            .to_object = to_object,
            .to_target = to_target,
            .grasp = reach,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = Norm(seen.object - episode.target);
    return {.reward = MoveReward(Norm(seen.object - scene.tcp()), episode.farthest, distance),
            .to_target = distance};
  }

 protected:
  static constexpr double kLength = 0.175;  // m, of the handle

  virtual const char* handle() const = 0;  // its site
  // Added to the position of the object in version 2.
  virtual Vector offset() const { return {}; }

  static void PlaceBase(Scene& scene, const GoalVector& goal, double length) {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.MoveBody("faucetBase", episode.object);
    episode.target = episode.object + Vector{length, 0.0, 0.125};
    episode.farthest = Norm(episode.target - episode.object);
  }
};

class FaucetOpenRules final : public FaucetRules {
 public:
  FaucetOpenRules()
      : FaucetRules({.name = "FaucetOpen",
                     .model = "sawyer_faucet",
                     .hand = {0.0, 0.4, 0.2},
                     .reach = kLowReach,
                     .goals = {.first = {.low = {-0.05, 0.8, 0.0}, .high = {0.05, 0.85, 0.0}}},
                     .seen_goals = kLowReach,
                     .success = 0.07,
                     .near = 0.01}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceBase(scene, goal, kLength);
    scene.MoveSite("goal_open", scene.episode().target);
  }

 protected:
  const char* handle() const override { return "handleStartOpen"; }
  Vector offset() const override { return {-0.04, 0.0, 0.03}; }
};

class FaucetCloseRules final : public FaucetRules {
 public:
  FaucetCloseRules()
      : FaucetRules({.name = "FaucetClose",
                     .model = "sawyer_faucet",
                     .hand = {0.0, 0.4, 0.2},
                     .reach = kLowReach,
                     .goals = {.first = {.low = {-0.1, 0.8, 0.0}, .high = {0.1, 0.85, 0.0}}},
                     .seen_goals = kLowReach,
                     .success = 0.07,
                     .near = 0.01}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    PlaceBase(scene, goal, -kLength);
    scene.Forward();
    scene.MoveSite("goal_close", scene.episode().target);
  }

 protected:
  const char* handle() const override { return "handleStartClose"; }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_FAUCET_H_
