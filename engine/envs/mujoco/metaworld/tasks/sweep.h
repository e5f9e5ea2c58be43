// sweep and sweep-into: sweep a puck off the table, or into a hole.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SWEEP_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SWEEP_H_

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class SweepTaskRules : public Rules {
 public:
  using Rules::Rules;

  Measures Reward(Scene& scene, const Seen& seen) const override {
    constexpr double kRadius = 0.05;  // m
    const Vector target = SeenTarget(scene, seen);
    const double to_target = Norm(seen.object - target);
    const double in_place =
        Within(to_target, {.low = 0.0, .high = kRadius}, Norm(scene.episode().object - target));
    const double grasp = PadReward(scene, seen.object, pads());
    const Scalar both = Product(grasp, in_place);
    return {.reward = to_target < kRadius ? 10.0 : 2.0 * grasp + 6.0 * both,
            .to_object = Norm(seen.object - scene.tcp()),
            .opening = seen.opening,
            .to_target = to_target,
            .grasp = grasp,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr double kReached = 0.05;  // m
    const Episode& episode = scene.episode();
    double reach = Norm(scene.tcp() - seen.object);
    double distance = NormXy(seen.object - episode.target);
    const bool is_reached = reach < kReached;
    if (HasFallen(episode, seen)) reach = distance = 0.0;
    const double push =
        is_reached ? AtLeastZero(Closeness(episode.farthest, distance)).value() : 0.0;
    return {.reward = -reach + push, .to_target = distance};
  }

 protected:
  static constexpr Space kPucks = {.low = {-0.1, 0.6, 0.02}, .high = {0.1, 0.7, 0.02}};

  virtual Vector SeenTarget(const Scene& scene, const Seen& seen) const = 0;
  virtual PadRule pads() const = 0;
  // Whether the puck has left the table where it should.
  virtual bool HasFallen(const Episode& episode, const Seen& seen) const {
    return seen.object.z < episode.object.z - 0.05;
  }

  static void PlacePuck(Scene& scene, Vector target) {
    Episode& episode = scene.episode();
    episode.target = target;
    scene.SetObject(episode.object);
    scene.MoveSite("goal", episode.target);
    episode.farthest = NormXy(episode.object - episode.target);
  }
};

class SweepRules final : public SweepTaskRules {
 public:
  SweepRules()
      : SweepTaskRules({.name = "Sweep",
                        .model = "sawyer_sweep_v3",
                        .hand = {0.0, 0.6, 0.2},
                        .reach = kReach,
                        .goals = {.first = kPucks},
                        .seen_goals = {.low = {0.49, 0.6, 0.0}, .high = {0.51, 0.7, 0.02}},
                        .success = 0.05,
                        .near = 0.03,
                        .grasp = Grasp::kTouching}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    scene.episode().object = {goal.first.x, goal.first.y, 0.02};
    PlacePuck(scene, {0.5, goal.first.y, 0.01});
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.BodyRotation("obj"));
  }

 protected:
  Vector SeenTarget(const Scene& scene, const Seen&) const override {
    return scene.episode().target;
  }
  PadRule pads() const override {
    return {.object_radius = 0.02, .grip_margin = 0.01, .xz_distance = 0.005};
  }
};

class SweepIntoRules final : public SweepTaskRules {
 public:
  SweepIntoRules()
      : SweepTaskRules({.name = "SweepInto",
                        .model = "sawyer_table_with_hole",
                        .hand = {0.0, 0.6, 0.2},
                        .reach = kReach,
                        .goals = {.first = kPucks,
                                  .second = kHoles,
                                  .has_two = true,
                                  .least_distance = 0.15,
                                  .fixed = &kHole},
                        .seen_goals = kHoles,
                        .success = 0.05,
                        .near = 0.03,
                        .grasp = Grasp::kTouching}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    scene.episode().object = {goal.first.x, goal.first.y, scene.Body("obj").z};
    PlacePuck(scene, kHole);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("obj"), scene.RotationOfGeom("objGeom"));
  }

 protected:
  Vector SeenTarget(const Scene& scene, const Seen& seen) const override {
    const Vector target = scene.episode().target;
    return {target.x, target.y, seen.object.z};
  }
  PadRule pads() const override {
    return {.object_radius = 0.02, .grip_margin = 0.005, .xz_distance = 0.01};
  }
  bool HasFallen(const Episode& episode, const Seen& seen) const override {
    return SweepTaskRules::HasFallen(episode, seen) && 0.4 < seen.object.y && seen.object.y < 1.0;
  }

 private:
  static constexpr Vector kHole = {0.0, 0.84, 0.02};
  static constexpr Space kHoles = {.low = {-0.001, 0.8399, 0.0199},
                                   .high = {0.001, 0.8401, 0.0201}};
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_SWEEP_H_
