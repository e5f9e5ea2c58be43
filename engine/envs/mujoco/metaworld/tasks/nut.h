// assembly and disassemble: put a nut with a handle onto a peg, or take it off.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_NUT_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_NUT_H_

#include <cmath>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class NutRules : public GradedRules {
 public:
  using GradedRules::GradedRules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("RoundNut-8"), scene.BodyRotation("RoundNut"));
  }

 protected:
  // The grip of the handle: along x, it may be anywhere on it.
  static Scalar GripOf(const Scene& scene, const Seen& seen, Density density) {
    constexpr double kHandle = 0.02;  // m, its length
    Vector handle = seen.object;
    if (std::abs(handle.x - seen.hand.x) < kHandle / 2.0) handle.x = seen.hand.x;
    return GripReward(scene, seen.grip, handle, scene.episode().object,
                      {.object_radius = 0.015,
                       .pad_distance = 0.02,
                       .reach_radius = 0.01,
                       .xz_distance = 0.01,
                       .density = density});
  }
};

class AssemblyRules final : public NutRules {
 public:
  AssemblyRules()
      : NutRules({.name = "Assembly",
                  .model = "sawyer_assembly_peg",
                  .hand = Float32(0.0, 0.6, 0.2),
                  .reach = kReach,
                  .goals = {.first = {.low = {0.0, 0.6, 0.02}, .high = {0.0, 0.6, 0.02}},
                            .second = {.low = {-0.1, 0.75, 0.1}, .high = {0.1, 0.85, 0.1}},
                            .has_two = true,
                            .least_distance = 0.1},
                  .seen_goals = {.low = {-0.1, 0.75, 0.1}, .high = {0.1, 0.85, 0.1}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.target = goal.second;
    scene.SetObject(episode.object);
    scene.MoveBody("peg", episode.target - Vector{0.0, 0.0, 0.05});
    scene.MoveSite("pegTop", episode.target);
    episode.height = scene.Site("RoundNut-8").z;
    episode.height_target = episode.height + 0.1;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const double upright = Upright(seen, {0.707, 0.0, 0.0, 0.707}, 0.4);
    const Scalar grasp = GripOf(scene, seen, Density::kMedium);
    const Hooked hooked = HookedOf(scene.Site("RoundNut"), scene.episode().target);
    Scalar reward = (2.0 * grasp + 6.0 * hooked.in_place) * upright;
    if (hooked.is_success) reward = 10.0;
    return {.reward = reward,
            .grasp = grasp,
            .in_place = hooked.in_place,
            .is_success = hooked.is_success,
            .ready = upright};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule = {
        .xy_near = 0.04, .height_weight = 1.0, .close = 0.04, .lift_near = 0.04, .pick_near = 0.03};
    const Episode& episode = scene.episode();
    const Vector nut = scene.Body("RoundNut");
    const Vector way = nut - episode.target;
    Lift lift = LiftOf(scene, seen.object, NormXy(way));
    lift.z = nut.z;
    const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
    const bool is_placed = std::abs(way.x) < 0.03 && std::abs(way.y) < 0.03;
    const double height = std::abs(nut.z - episode.height);
    double place = 0.0;
    if (is_placed || (is_held && lift.reach < 0.04)) {
      place = Closeness(episode.farthest, lift.distance);
      if (is_placed) {
        constexpr double kWeight = 2000.0;
        place += kWeight * (episode.height_target - height) +
                 SteepPart(height, {.wide = 0.003, .narrow = 0.0003, .weight = kWeight});
      }
      place = AtLeastZero(place).value();
    }
    return {.reward = ReachPart(lift, seen.grip, kRule) +
                      PickPart(episode, lift, kRule, is_placed || is_held) + place,
            .is_success = is_placed && height <= 0.04};
  }

 private:
  struct Hooked {
    double in_place;
    bool is_success;
  };

  static Hooked HookedOf(Vector nut, Vector target) {
    Vector error = target - nut;
    const double radius = NormXy(error);
    const bool is_success = radius < 0.02 && error.z > 0.0;
    const double threshold = is_success ? 0.02 : 0.01;
    const double height = radius > threshold ? 0.02 * NumpyLog(radius - threshold) + 0.2 : 0.0;
    error.z = height - nut.z;
    const bool is_lifted = nut.z > 0.02 || radius < threshold;
    const double near =
        Within(Norm(error * Vector{1.0, 1.0, 3.0}), {.low = 0.0, .high = 0.02}, 0.4);
    return {.in_place = 0.1 * (is_lifted ? 1.0 : 0.0) + 0.9 * near, .is_success = is_success};
  }
};

class DisassembleRules final : public NutRules {
 public:
  DisassembleRules()
      : NutRules({.name = "Disassemble",
                  .model = "sawyer_assembly_peg",
                  .hand = Float32(0.0, 0.4, 0.2),
                  .reach = kReach,
                  .goals = {.first = {.low = {0.0, 0.6, 0.025}, .high = {0.1, 0.75, 0.02501}},
                            .second = {.low = {-0.1, 0.6, 0.1699}, .high = {0.1, 0.75, 0.1701}},
                            .has_two = true,
                            .least_distance = 0.1},
                  .seen_goals = {.low = Vector{-0.1, 0.6, 0.1699} + Vector{0.0, 0.0, 0.005},
                                 .high = Vector{0.1, 0.75, 0.1701} + Vector{0.0, 0.0, 0.005}}}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.target = goal.first + Vector{0.0, 0.0, 0.15};
    scene.MoveBody("peg", episode.object + Vector{0.0, 0.0, 0.03});
    scene.MoveSite("pegTop", episode.object + Vector{0.0, 0.0, 0.08});
    scene.Forward();
    scene.SetObject(episode.object);
    episode.height = scene.Body("RoundNut").z;
    episode.height_target = episode.height + 0.05;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Vector target = scene.episode().target;
    const Vector nut = scene.Site("RoundNut");
    const double upright = Upright(seen, {0.707, 0.0, 0.0, 0.707}, 0.4);
    const Scalar grasp = GripOf(scene, seen, Density::kHigh);
    const Vector error = target + Vector{0.0, 0.0, 0.1} - nut;
    const double in_place = 0.1 * (nut.z > 0.02 ? 1.0 : 0.0) +
                            0.9 * Within(Norm(error), {.low = 0.0, .high = 0.02}, 0.2);
    Scalar reward = (2.0 * grasp + 6.0 * in_place) * upright;
    const bool is_success = seen.object.z > target.z;
    if (is_success) reward = 10.0;
    return {.reward = reward,
            .grasp = grasp,
            .in_place = in_place,
            .is_success = is_success,
            .ready = upright};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule = {
        .xy_near = 0.04, .close = 0.04, .lift_near = 0.04, .place_near = 0.03, .pick_near = 0.04};
    const Episode& episode = scene.episode();
    const Lift lift = LiftOf(scene, seen.object, Norm(seen.object - episode.target));
    const Vector off_peg = scene.Body("RoundNut") - scene.BodyPlace("peg");
    const bool is_success = seen.object.z > episode.target.z;
    if (std::abs(off_peg.x) > 0.05 || std::abs(off_peg.y) > 0.05) {
      const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
      const double place = is_held && lift.reach < kRule.place_near
                               ? AtLeastZero(Closeness(episode.farthest, lift.distance)).value()
                               : 0.0;
      return {.reward = episode.height_target * 100.0 + place, .is_success = is_success};
    }
    return {.reward = LiftReward(scene, lift, seen.grip, kRule), .is_success = is_success};
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_NUT_H_
