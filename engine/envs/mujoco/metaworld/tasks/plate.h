// plate-slide, plate-slide-side, plate-slide-back and plate-slide-back-side: slide a plate into or
// out of a goal.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PLATE_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PLATE_H_

#include <array>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class PlateRules : public Rules {
 public:
  using Rules::Rules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Geom("puck"), scene.RotationOfGeom("puck"));
  }

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const Vector tcp = scene.tcp();
    const double to_target = Norm(seen.object - episode.target);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   Norm(episode.object - episode.target) - margin_part());
    const double to_object = Norm(tcp - seen.object);
    const double grasp = Within(to_object, {.low = 0.0, .high = kRadius},
                                Norm(episode.tcp - episode.object) - margin_part());
    Scalar reward = RewardOf({.tcp = tcp, .to_object = to_object}, grasp, in_place);
    if (to_target < kRadius) reward = 10.0;
    return {.reward = reward,
            .to_object = to_object,
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = NormXy(seen.object - episode.target);
    return {.reward = MoveReward(Norm(seen.object - scene.tcp()), episode.farthest, distance),
            .to_target = distance};
  }

 protected:
  static constexpr double kRadius = 0.05;  // m

  struct Gripper {
    Vector tcp;
    double to_object;  // m
  };

  // The part of the margins that is left out (m).
  virtual double margin_part() const { return kRadius; }
  virtual Scalar RewardOf(const Gripper& gripper, double grasp, double in_place) const {
    if (gripper.tcp.z <= 0.03 && gripper.to_object < 0.07) return 2.0 + 7.0 * in_place;
    return 1.5 * grasp;
  }

  static void SetVector(Scene& scene, const GoalVector& goal) {
    scene.episode().object = goal.first;
    scene.episode().target = goal.second;
  }
  // Puts the plate at a place in the frame of its start.
  static void SetPlate(Scene& scene, double x, double y) {
    scene.Set(9, std::array{x, y}, 9, 0);
    scene.MoveSite("goal", scene.episode().target);
  }
  static void MeasureFrom(Scene& scene, Vector start) {
    scene.episode().farthest = NormXy(start - scene.episode().target);
  }
};

class PlateSlideRules final : public PlateRules {
 public:
  PlateSlideRules()
      : PlateRules({.name = "PlateSlide",
                    .model = "sawyer_plate_slide",
                    .hand = Float32(0.0, 0.6, 0.2),
                    .reach = kReach,
                    .goals = {.first = {.low = {0.0, 0.6, 0.0}, .high = {0.0, 0.6, 0.0}},
                              .second = {.low = {-0.1, 0.85, 0.0}, .high = {0.1, 0.9, 0.0}},
                              .has_two = true},
                    .seen_goals = {.low = {-0.1, 0.85, 0.0}, .high = {0.1, 0.9, 0.0}},
                    .success = 0.07,
                    .near = 0.03,
                    .grasp = Grasp::kNever}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    SetVector(scene, goal);
    scene.MoveBody("puck_goal", goal.second);
    SetPlate(scene, 0.0, 0.0);
    MeasureFrom(scene, goal.first);
  }

 protected:
  double margin_part() const override { return 0.0; }
  Scalar RewardOf(const Gripper&, double grasp, double in_place) const override {
    return 8.0 * Product(grasp, in_place);
  }
};

class PlateSlideSideRules final : public PlateRules {
 public:
  PlateSlideSideRules()
      : PlateRules({.name = "PlateSlideSide",
                    .model = "sawyer_plate_slide_sideway",
                    .hand = Float32(0.0, 0.6, 0.2),
                    .reach = kReach,
                    .goals = {.first = {.low = {0.0, 0.6, 0.0}, .high = {0.0, 0.6, 0.0}},
                              .second = {.low = {-0.3, 0.54, 0.0}, .high = {-0.25, 0.66, 0.0}},
                              .has_two = true},
                    .seen_goals = {.low = {-0.3, 0.54, 0.0}, .high = {-0.25, 0.66, 0.0}},
                    .success = 0.07,
                    .near = 0.03,
                    .grasp = Grasp::kNever}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    SetVector(scene, goal);
    SetPlate(scene, 0.0, 0.0);
    MeasureFrom(scene, goal.first);
  }
};

class PlateSlideBackRules final : public PlateRules {
 public:
  PlateSlideBackRules()
      : PlateRules({.name = "PlateSlideBack",
                    .model = "sawyer_plate_slide",
                    .hand = Float32(0.0, 0.6, 0.2),
                    .reach = kReach,
                    .goals = {.first = {.low = {0.0, 0.85, 0.0}, .high = {0.0, 0.85, 0.0}},
                              .second = {.low = {-0.1, 0.6, 0.015}, .high = {0.1, 0.6, 0.015}},
                              .has_two = true},
                    .seen_goals = {.low = {-0.1, 0.6, 0.015}, .high = {0.1, 0.6, 0.015}},
                    .success = 0.07,
                    .near = 0.03,
                    .grasp = Grasp::kNever}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    SetVector(scene, goal);
    SetPlate(scene, 0.0, 0.15);
    MeasureFrom(scene, scene.Geom("puck"));
  }
};

class PlateSlideBackSideRules final : public PlateRules {
 public:
  PlateSlideBackSideRules()
      : PlateRules({.name = "PlateSlideBackSide",
                    .model = "sawyer_plate_slide_sideway",
                    .hand = Float32(0.0, 0.6, 0.2),
                    .reach = kReach,
                    .goals = {.first = {.low = {-0.25, 0.6, 0.0}, .high = {-0.25, 0.6, 0.0}},
                              .second = {.low = {-0.05, 0.6, 0.015}, .high = {0.15, 0.6, 0.015}},
                              .has_two = true},
                    .seen_goals = {.low = {-0.05, 0.6, 0.015}, .high = {0.15, 0.6, 0.015}},
                    .success = 0.07,
                    .near = 0.03,
                    .grasp = Grasp::kNever}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    SetVector(scene, goal);
    scene.MoveBody("puck_goal", goal.first);
    SetPlate(scene, -0.15, 0.0);
    MeasureFrom(scene, scene.Geom("puck"));
  }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_PLATE_H_
