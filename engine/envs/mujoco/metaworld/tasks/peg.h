// peg-insert-side and peg-unplug-side: put a peg into a hole from the side, or pull it out.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PEG_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PEG_H_

#include <array>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class PegInsertSideRules final : public Rules {
 public:
  PegInsertSideRules()
      : Rules({.name = "PegInsertSide",
               .model = "sawyer_peg_insertion_side",
               .hand = {0.0, 0.6, 0.2},
               .reach = kReach,
               .goals = {.first = {.low = {0.0, 0.5, 0.02}, .high = {0.2, 0.7, 0.02}},
                         .second = kBoxes,
                         .has_two = true,
                         .least_distance = 0.1},
               .seen_goals = {.low = kBoxes.low + kHole, .high = kBoxes.high + kHole},
               .success = kRadius,
               .near = 0.03}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.extra = scene.Site("pegHead");
    scene.SetObject(episode.object);
    scene.MoveBody("box", goal.second);
    episode.target = goal.second + kHole;
    scene.MoveSite("goal", episode.target);
    episode.height = scene.Body("peg").z;
    episode.height_target = episode.height + 0.11;
    episode.farthest = FarthestLift(episode, episode.object, episode.target);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("pegGrasp"), scene.RotationOfSite("pegGrasp"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr Vector kScale = {1.0, 2.0, 2.0};
    const Episode& episode = scene.episode();
    const Vector head = scene.Site("pegHead");
    const double to_object = Norm(seen.object - scene.tcp());
    const double to_target = Norm((head - episode.target) * kScale);
    const double near_hole = Within(to_target, {.low = 0.0, .high = kRadius},
                                    Norm((episode.extra - episode.target) * kScale));
    const Scalar boxes = Product(InSecondBox(scene, head), InFirstBox(scene, head));
    const Scalar in_place = Product(near_hole, boxes);
    Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                              {.object_radius = 0.0075,
                               .pad_distance = 0.03,
                               .reach_radius = 0.01,
                               .xz_distance = 0.005,
                               .density = Density::kHigh});
    const bool is_held =
        to_object < 0.08 && seen.opening > 0.0 && seen.object.z - 0.01 > episode.object.z;
    if (is_held) grasp = 1.0;
    Scalar reward = Product(grasp, in_place);
    if (is_held) reward += 1.0 + 5.0 * in_place;
    if (to_target <= kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr LiftRule kRule = {.height_weight = 1.0};
    const Episode& episode = scene.episode();
    const double of_head = Norm(scene.Site("pegHead") - episode.target);
    const Lift lift = LiftOf(scene, seen.object, Norm(seen.object - episode.target));
    const bool is_held = IsPicked(episode, lift, kRule) && !IsDropped(episode, lift);
    double place = 0.0;
    if (is_held && lift.reach < kRule.place_near) {
      const double distance = of_head <= 0.05 ? lift.distance : of_head;
      place = AtLeastZero(Closeness(episode.farthest, distance)).value();
    }
    return {.reward =
                ReachPart(lift, seen.grip, kRule) + PickPart(episode, lift, kRule, is_held) + place,
            .to_target = lift.distance};
  }

  Infos Report(const Scene& scene, const Seen& seen, const Measures& measures) const override {
    Infos infos = Rules::Report(scene, seen, measures);
    const bool is_held = measures.to_object < 0.02 && measures.opening > 0.0 &&
                         seen.object.z - 0.01 > scene.episode().object.z;
    infos.grasp_success = is_held ? 1.0 : 0.0;
    return infos;
  }

 private:
  static constexpr double kRadius = 0.07;  // m
  static constexpr Space kBoxes = {.low = {-0.35, 0.4, -0.001}, .high = {-0.25, 0.7, 0.001}};
  static constexpr Vector kHole = {0.03, 0.0, 0.13};  // from the place of its box

  // Of two boxes below the hole.
  static Scalar InFirstBox(const Scene& scene, Vector position) {
    return InBox(position, scene.Site("bottom_right_corner_collision_box_1"),
                 scene.Site("top_left_corner_collision_box_1"));
  }
  static Scalar InSecondBox(const Scene& scene, Vector position) {
    return InBox(position, scene.Site("bottom_right_corner_collision_box_2"),
                 scene.Site("top_left_corner_collision_box_2"));
  }

  // The reference's rect_prism_tolerance of a position, in a box between two corners.
  static Scalar InBox(Vector position, Vector zero, Vector one) {
    const auto is_between = [](double x, double a, double b) {
      return b >= a ? a <= x && x <= b : b <= x && x <= a;
    };
    const bool is_in = is_between(position.x, zero.x, one.x) &&
                       is_between(position.y, zero.y, one.y) &&
                       is_between(position.z, zero.z, one.z);
    if (!is_in) return 1.0;
    const Vector size = one - zero;
    const Vector way = position - zero;
    return Scalar::Float64(way.x / size.x * (way.y / size.y) * (way.z / size.z));
  }
};

class PegUnplugSideRules final : public Rules {
 public:
  PegUnplugSideRules()
      : Rules({.name = "PegUnplugSide",
               .model = "sawyer_peg_unplug_side",
               .hand = {0.0, 0.6, 0.2},
               .reach = kReach,
               .goals = {.first = kBoxes},
               .seen_goals = {.low = kBoxes.low + kPulled, .high = kBoxes.high + kPulled},
               .success = 0.07,
               .near = 0.03}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    scene.MoveBody("box", goal.first);
    const Vector plug = goal.first + Vector{0.044, 0.0, 0.131};
    scene.Set(9, std::array{plug.x, plug.y, plug.z, 1.0, 0.0, 0.0, 0.0}, 9, 3);
    episode.object = scene.Site("pegEnd");
    episode.target = plug + Vector{0.15, 0.0, 0.0};
    scene.MoveSite("goal", episode.target);
    episode.farthest = Norm(episode.target - episode.object);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("pegEnd"), scene.BodyRotation("plug1"));
  }

  // Measures.is_success is whether the gripper pulls the peg.
  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.05;  // m
    const Episode& episode = scene.episode();
    const double to_object = Norm(seen.object - scene.tcp());
    const double to_target = Norm(seen.object - episode.target);
    const Scalar grasp = GripReward(scene, seen.grip, seen.object, episode.object,
                                    {.object_radius = 0.025,
                                     .pad_distance = 0.05,
                                     .reach_radius = 0.01,
                                     .xz_distance = 0.005,
                                     .effort = 0.8,
                                     .density = Density::kHigh});
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(episode.object - episode.target));
    const bool pulls = seen.opening > 0.5 && seen.object.x - episode.object.x > 0.015;
    Scalar reward = 2.0 * grasp;
    if (pulls && to_object < 0.035) reward = 1.0 + 2.0 * grasp + 5.0 * in_place;
    if (to_target <= kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place,
            .is_success = pulls};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr double kReached = 0.05;  // m
    constexpr LiftRule kRule{};
    const Episode& episode = scene.episode();
    Lift lift = LiftOf(scene, seen.object, NormXy(seen.object - episode.target));
    lift.raised = Norm(scene.tcp().z - description().hand.z);
    const double place = lift.reach < kReached
                             ? AtLeastZero(Closeness(episode.farthest, lift.distance)).value()
                             : 0.0;
    return {.reward = ReachPart(lift, seen.grip, kRule) + place, .to_target = lift.distance};
  }

  Infos Report(const Scene& scene, const Seen& seen, const Measures& measures) const override {
    Infos infos = Rules::Report(scene, seen, measures);
    infos.grasp_success = measures.is_success ? 1.0 : 0.0;
    return infos;
  }

 private:
  static constexpr Space kBoxes = {.low = {-0.25, 0.6, -0.001}, .high = {-0.15, 0.8, 0.001}};
  static constexpr Vector kPulled = {0.194, 0.0, 0.131};  // from the box to the peg outside of it
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PEG_H_
