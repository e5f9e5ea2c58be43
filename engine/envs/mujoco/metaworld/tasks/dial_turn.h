// dial-turn: turn a dial.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DIAL_TURN_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DIAL_TURN_H_

#include <cmath>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class DialTurnRules final : public Rules {
 public:
  DialTurnRules()
      : Rules({.name = "DialTurn",
               .model = "sawyer_dial",
               .hand = Float32(0.0, 0.6, 0.2),
               .reach = kReach,
               .goals = {.first = {.low = {-0.1, 0.7, 0.0}, .high = {0.1, 0.8, 0.0}}},
               .seen_goals = {.low = {-0.1, 0.73, 0.0299}, .high = {0.1, 0.83, 0.0301}},
               .success = kRadius,
               .near = 0.01}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.target = goal.first + Vector{0.0, 0.03, 0.03};
    scene.MoveBody("dial", episode.object);
    episode.extra = Knob(scene) + kPush;
    scene.MoveSite("goal", episode.target);
    episode.farthest = std::abs(episode.target.y - episode.object.y);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(Knob(scene), scene.BodyRotation("dial"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kReachRadius = 0.005;  // m
    const Episode& episode = scene.episode();
    const Vector knob = Knob(scene);
    const double to_target = Norm(knob - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   std::abs(Norm(episode.extra - episode.target) - kRadius));
    const double to_object = Norm(knob + kPush - scene.tcp());
    const double reach =
        Within(to_object, {.low = 0.0, .high = kReachRadius},
               std::abs(Norm(episode.extra - episode.tcp) - kReachRadius), Sigmoid::kGaussian);
    const Scalar grasp = Product(reach, Closing(seen.grip));
    return {.reward = 10.0 * Product(grasp, in_place),
            .to_object = to_object,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = std::abs(seen.object.y - episode.target.y);
    return {.reward = MoveReward(Norm(seen.object - scene.tcp()), episode.farthest, distance,
                                 {.wide = 0.001, .narrow = 0.0001}),
            .to_target = distance};
  }

 private:
  static constexpr double kRadius = 0.07;              // m
  static constexpr Vector kPush = {0.05, 0.02, 0.09};  // from the knob to where it is pushed

  static Vector Knob(const Scene& scene) {
    constexpr double kDial = 0.05;  // m, its radius
    const double angle = scene.simulation().qpos()[scene.JointPlace("knob_Joint_1")];
    const Vector offset = {NumpySin(angle) * kDial, -NumpyCos(angle) * kDial, 0.0 * kDial};
    return scene.Body("dial") + offset;
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_DIAL_TURN_H_
