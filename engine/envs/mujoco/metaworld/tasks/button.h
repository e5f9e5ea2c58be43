// button-press, button-press-wall, button-press-topdown, button-press-topdown-wall and
// coffee-button: press a button.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BUTTON_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BUTTON_H_

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/numpy_math.h"
#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class ButtonRules : public Rules {
 public:
  using Rules::Rules;

  Measures Reward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    Press press;
    press.to_object = Norm(seen.object - scene.tcp());
    press.to_target = std::abs(Along(episode.target) - Along(seen.object));
    press.near = Within(press.to_object, {.low = 0.0, .high = near_bound()},
                        Norm(seen.object - episode.tcp));
    press.pressed = Within(press.to_target, {.low = 0.0, .high = 0.005}, episode.span);
    return {.reward = RewardOf(press, seen.opening),
            .to_object = press.to_object,
            .opening = seen.opening,
            .to_target = press.to_target,
            .grasp = press.near,
            .in_place = press.pressed};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    const Episode& episode = scene.episode();
    const double distance = std::abs(Along(seen.object) - Along(episode.target));
    const double reach = Norm(seen.object - PointOfReach(scene));
    return {.reward = MoveReward(reach, episode.farthest, distance), .to_target = distance};
  }

 protected:
  struct Press {
    double to_object;  // m
    double to_target;  // m
    double near, pressed;
  };

  // The coordinate along which the button moves.
  virtual double Along(Vector position) const { return position.y; }
  // The point of the gripper that version 1 uses.
  virtual Vector PointOfReach(const Scene& scene) const { return scene.left_finger(); }
  virtual double near_bound() const { return 0.01; }  // m
  virtual Scalar RewardOf(const Press& press, double opening) const = 0;

  // Sets what follows from the present places of the button and its hole.
  void SetTarget(Scene& scene) const {
    Episode& episode = scene.episode();
    episode.target = scene.Site("hole");
    episode.span = std::abs(Along(episode.target) - Along(scene.Site("buttonStart")));
    episode.farthest = episode.span;
  }
};

class ButtonPressRules : public ButtonRules {
 public:
  explicit ButtonPressRules(Description description) : ButtonRules(description) {}
  ButtonPressRules()
      : ButtonPressRules(
            {.name = "ButtonPress",
             .model = "sawyer_button_press",
             .hand = Float32(0.0, 0.4, 0.2),
             .reach = kReach,
             .goals = {.first = {.low = {-0.1, 0.85, 0.115}, .high = {0.1, 0.9, 0.115}}},
             .seen_goals = kReach,
             .success = 0.02,
             .near = 0.05,
             .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    scene.episode().object = goal.first;
    scene.MoveBody("box", goal.first);
    scene.SetJoint(0.0);
    SetTarget(scene);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("button") + Vector{0.0, -0.193, 0.0}, scene.BodyRotation("button"));
  }

 protected:
  double near_bound() const override { return 0.05; }
  Scalar RewardOf(const Press& press, double opening) const override {
    Scalar reward = 2.0 * Product(std::max(opening, 0.0), press.near);
    if (press.to_object <= 0.05) reward += 8.0 * press.pressed;
    return reward;
  }
};

class ButtonPressWallRules final : public ButtonPressRules {
 public:
  ButtonPressWallRules()
      : ButtonPressRules(
            {.name = "ButtonPressWall",
             .model = "sawyer_button_press_wall",
             .hand = Float32(0.0, 0.4, 0.2),
             .reach = kReach,
             .goals = {.first = {.low = {-0.05, 0.85, 0.1149}, .high = {0.05, 0.9, 0.1151}}},
             .seen_goals = kReach,
             .success = 0.03,
             .near = 0.05,
             .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    ButtonPressRules::Place(scene, goal);
    // Version 1 measures along another coordinate here than in its reward.
    scene.episode().farthest = std::abs(scene.Site("buttonStart").z - scene.episode().target.z);
  }

 protected:
  double near_bound() const override { return 0.01; }
  Scalar RewardOf(const Press& press, double opening) const override {
    if (press.to_object > 0.07) return 2.0 * Product((1.0 - opening) / 2.0, press.near);
    return 2.0 + 2.0 * (1.0 + opening) + 4.0 * PowSquare(press.pressed);
  }
};

class ButtonPressTopdownRules : public ButtonRules {
 public:
  explicit ButtonPressTopdownRules(Description description) : ButtonRules(description) {}
  ButtonPressTopdownRules()
      : ButtonPressTopdownRules({.name = "ButtonPressTopdown",
                                 .model = "sawyer_button_press_topdown",
                                 .hand = Float32(0.0, 0.4, 0.2),
                                 .reach = kReach,
                                 .goals = {.first = kBoxes},
                                 .seen_goals = kReach,
                                 .success = 0.024,
                                 .near = 0.05,
                                 .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    scene.episode().object = goal.first;
    scene.MoveBody("box", goal.first);
    scene.Forward();
    SetTarget(scene);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Body("button") + Vector{0.0, 0.0, 0.193}, scene.BodyRotation("button"));
  }

 protected:
  static constexpr Space kBoxes = {.low = {-0.1, 0.8, 0.115}, .high = {0.1, 0.9, 0.115}};

  double Along(Vector position) const override { return position.z; }
  Vector PointOfReach(const Scene& scene) const override { return scene.tcp(); }
  virtual double Closed(double opening) const { return 1.0 - opening; }
  Scalar RewardOf(const Press& press, double opening) const override {
    Scalar reward = 5.0 * Product(Closed(opening), press.near);
    if (press.to_object <= 0.03) reward += 5.0 * press.pressed;
    return reward;
  }
};

class ButtonPressTopdownWallRules final : public ButtonPressTopdownRules {
 public:
  ButtonPressTopdownWallRules()
      : ButtonPressTopdownRules({.name = "ButtonPressTopdownWall",
                                 .model = "sawyer_button_press_topdown_wall",
                                 .hand = Float32(0.0, 0.4, 0.2),
                                 .reach = kReach,
                                 .goals = {.first = kBoxes},
                                 .seen_goals = kReach,
                                 .success = 0.024,
                                 .near = 0.05,
                                 .grasp = Grasp::kOpen}) {}

 protected:
  double Closed(double opening) const override { return std::max(opening, 0.0); }
};

class CoffeeButtonRules final : public ButtonPressRules {
 public:
  CoffeeButtonRules()
      : ButtonPressRules(
            {.name = "CoffeeButton",
             .model = "sawyer_coffee",
             .hand = {0.0, 0.4, 0.2},
             .reach = kReach,
             .goals = {.first = {.low = {-0.1, 0.8, -0.001}, .high = {0.1, 0.9, 0.001}}},
             .seen_goals = {.low = Vector{-0.1, 0.8, -0.001} + Vector{-0.001, kWay, 0.299},
                            .high = Vector{0.1, 0.9, 0.001} + Vector{0.001, kWay, 0.301}},
             .success = 0.02,
             .near = 0.05,
             .grasp = Grasp::kOpen}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    scene.MoveBody("coffee_machine", episode.object);
    const Vector mug = episode.object + Vector{0.0, -0.22, 0.0};
    scene.Set(0, std::array{mug.x, mug.y, mug.z}, 9, 6);
    const Vector button = episode.object + Vector{0.0, -0.22, 0.3};
    episode.target = button + Vector{0.0, kDepth, 0.0};
    episode.span = kDepth;
    episode.farthest = std::abs(scene.Site("buttonStart").y - episode.target.y);
  }

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site("buttonStart"), std::array{1.0, 0.0, 0.0, 0.0});
  }

 private:
  static constexpr double kDepth = 0.03;  // m, of the button
  static constexpr double kWay = -0.22 + kDepth;
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_BUTTON_H_
