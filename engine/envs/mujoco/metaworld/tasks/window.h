// window-open and window-close: slide a window by its handle.
#ifndef ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_WINDOW_H_
#define ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_WINDOW_H_

#include <cmath>

#include "engine/envs/mujoco/metaworld/rewards.h"
#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/scene.h"

namespace engine::mujoco::metaworld {

class WindowRules : public Rules {
 public:
  using Rules::Rules;

  void Objects(const Scene& scene, ObjectWriter& to) const override {
    to.Put(scene.Site(handle()), kNoRotation);
  }

  Measures Reward(Scene& scene, const Seen&) const override {
    constexpr double kHandle = 0.02;  // m
    const Episode& episode = scene.episode();
    const Vector object = scene.Site(handle());
    const double to_target = Norm(object.x - episode.target.x);
    const double in_place = Within(to_target, {.low = 0.0, .high = kRadius},
                                   std::abs(Norm(StartOf(episode).x - episode.target.x) - kRadius));
    const double to_object = Norm(object - scene.tcp());
    const double reach = Within(to_object, {.low = 0.0, .high = kHandle},
                                std::abs(Norm(episode.extra - episode.tcp) - kHandle), sigmoid());
    return {.reward = 10.0 * Product(reach, in_place),
            .to_object = to_object,
            .to_target = to_target,
            .grasp = reach,
            .in_place = in_place};
  }

  Measures EarlierReward(Scene& scene, const Seen& seen) const override {
    constexpr double kFarthest = 0.2;  // m
    constexpr double kReached = 0.05;  // m
    const double distance = std::abs(seen.object.x - scene.episode().target.x);
    const double reach = Norm(seen.object - scene.tcp());
    // Unlike in other tasks, the second part may be negative.
    const double pull = reach < kReached ? Closeness(kFarthest, distance) : 0.0;
    return {.reward = -reach + pull, .to_target = distance};
  }

 protected:
  static constexpr double kRadius = 0.05;  // m

  virtual const char* handle() const = 0;  // its site
  virtual Sigmoid sigmoid() const = 0;
  // The position from which the margin of version 2 is measured.
  virtual Vector StartOf(const Episode& episode) const = 0;
};

class WindowOpenRules final : public WindowRules {
 public:
  WindowOpenRules()
      : WindowRules({.name = "WindowOpen",
                     .model = "sawyer_window_horizontal",
                     .hand = Float32(0.0, 0.4, 0.2),
                     .reach = kReach,
                     .goals = {.first = {.low = {-0.1, 0.7, 0.16}, .high = {0.1, 0.9, 0.16}}},
                     .seen_goals = kReach,
                     .success = kRadius,
                     .near = 0.05}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.target = episode.object + Vector{0.2, 0.0, 0.0};
    scene.MoveBody("window", episode.object);
    episode.extra = scene.Site(handle());
    scene.Joint("window_slide") = 0.0;
    scene.MoveSite("goal", episode.target);
  }

 protected:
  const char* handle() const override { return "handleOpenStart"; }
  Sigmoid sigmoid() const override { return Sigmoid::kLongTail; }
  Vector StartOf(const Episode& episode) const override { return episode.object; }
};

class WindowCloseRules final : public WindowRules {
 public:
  WindowCloseRules()
      : WindowRules({.name = "WindowClose",
                     .model = "sawyer_window_horizontal",
                     .hand = Float32(0.0, 0.4, 0.2),
                     .reach = kReach,
                     .goals = {.first = {.low = {0.0, 0.75, 0.2}, .high = {0.0, 0.9, 0.2}}},
                     .seen_goals = kReach,
                     .success = kRadius,
                     .near = 0.05}) {}

  void Place(Scene& scene, const GoalVector& goal) const override {
    Episode& episode = scene.episode();
    episode.object = goal.first;
    episode.target = episode.object;
    scene.MoveBody("window", episode.object);
    episode.extra = scene.Site(handle()) + Vector{0.2, 0.0, 0.0};
    scene.Joint("window_slide") = 0.2;
    scene.MoveSite("goal", episode.target);
  }

 protected:
  const char* handle() const override { return "handleCloseStart"; }
  Sigmoid sigmoid() const override { return Sigmoid::kGaussian; }
  Vector StartOf(const Episode& episode) const override { return episode.extra; }
};

}  // namespace engine::mujoco::metaworld

#endif  // ENGINE_ENVS_MUJOCO_METAWORLD_TASKS_WINDOW_H_
