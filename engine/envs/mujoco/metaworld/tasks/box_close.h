// box-close: put the lid onto a box.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BOX_CLOSE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BOX_CLOSE_H_

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class BoxCloseRules final : public GradedRules {
 public:
  BoxCloseRules()
      : GradedRules({.name = "BoxClose",
                     .model = "sawyer_box",
                     .hand = Float32(0.0, 0.6, 0.2),
                     .reach = kReach,
                     .goals = {.first = {.low = {-0.05, 0.5, 0.02}, .high = {0.05, 0.55, 0.02}},
                               .second = {.low = {-0.1, 0.7, 0.133}, .high = {0.1, 0.8, 0.133}},
                               .has_two = true,
                               .least_distance = 0.25},
                     .seen_goals = {.low = {-0.1, 0.7, 0.133}, .high = {0.1, 0.8, 0.133}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    const double height = scene.Body("boxbody").z;
    episode.object = {goal.first.x, goal.first.y, Float32(0.0, 0.0, 0.02).z};
    episode.target = goal.second;
    scene.MoveBody("boxbody", {episode.target.x, episode.target.y, height});
    scene.Advance(kSubsteps);
    scene.SetObject(episode.object);
    scene.MoveSite("goal", episode.target);
    episode.height = scene.Geom("BoxHandleGeom").z;
    episode.height_target = episode.height + 0.12;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("top_link"), scene.BodyRotation("top_link"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Vector target = scene.episode().target;
    const double upright = Upright(seen, {0.707, 0.0, 0.0, 0.707}, 0.2);
    const double effort = Effort(seen.grip);
    const Vector lid = seen.object + Vector{0.0, 0.0, 0.02};
    const double ready = ReadyToLift(seen.hand, lid);
    const Vector error = (target - lid) * Vector{1.0, 1.0, 3.0};
    const double lifted = 0.2 * (lid.z > 0.04 ? 1.0 : 0.0) +
                          0.8 * Within(Norm(error), {.low = 0.0, .high = 0.05}, 0.25);
    Scalar reward = 2.0 * Product(effort, ready) + 8.0 * lifted;
    const bool is_success = IsSuccess(scene, seen);
    if (is_success) reward = 10.0;
    reward *= upright;
    return {.reward = reward,
            .grasp = effort,
            .in_place = lifted,
            .is_success = is_success,
            .ready = ready};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const double distance = Norm(seen.object - scene.episode().target);
    return {.reward = LiftReward(scene, LiftOf(scene, seen.object, distance), seen.grip),
            .is_success = IsSuccess(scene, seen)};
  }

 private:
  static bool IsSuccess(const Scene& scene, const Seen& seen) {
    return Norm(seen.object - scene.episode().target) < 0.08;
  }

  static double ReadyToLift(Vector hand, Vector lid) {
    constexpr double kThreshold = 0.02;  // m
    const double radius = NormXy(hand - lid);
    const double floor = radius <= kThreshold ? 0.0 : 0.04 * NumpyLog(radius - kThreshold) + 0.4;
    const double above_floor =
        hand.z >= floor ? 1.0 : Within(floor - hand.z, {.low = 0.0, .high = 0.01}, floor / 2.0);
    const double in_place = Within(Norm(hand - lid), {.low = 0.0, .high = 0.02}, 0.5);
    return Product(above_floor, in_place).value();
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BOX_CLOSE_H_
