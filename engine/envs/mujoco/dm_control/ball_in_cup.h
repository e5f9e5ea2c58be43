// Ball in cup: move a cup on a plane so that it catches a ball on a string. MuJoCo computes the
// dynamics of dm_control's ball_in_cup.xml. Rewards and resets are those of dm_control's
// suite.ball_in_cup.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_BALL_IN_CUP_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_BALL_IN_CUP_H_

#include <cmath>
#include <cstddef>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class BallInCup final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "ball_in_cup",
            .timestep = 0.002,
            .steps = 10,
            .leaves = {{"position", {4}}, {"velocity", {4}}},
            .controls = UnitControls(2)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues&)
        : ball_x(static_cast<std::size_t>(model.Qpos("ball_x"))),
          ball_z(static_cast<std::size_t>(model.Qpos("ball_z"))),
          ball(model.Body("ball")),
          target(model.Site("target")) {
      const double* const size = model.suite_fields().site_size + 3 * target;
      const double radius = model.suite_fields().geom_size[3 * model.Geom("ball")];
      reach_x = size[0] - radius;
      reach_z = size[2] - radius;
    }

    std::size_t ball_x, ball_z;
    int ball, target;
    double reach_x, reach_z;  // m, from the centre of the target
  };
  explicit BallInCup(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    for (int attempt = 0; attempt < kManyAttempts; ++attempt) {
      physics.qpos()[config_.ball_x] = random.Uniform(-0.2, 0.2);
      physics.qpos()[config_.ball_z] = random.Uniform(0.2, 0.5);
      physics.Forward();
      if (physics.num_contacts() == 0) return;
    }
    ThrowNoFreeState(kManyAttempts);
  }

  double Reward(const Physics& physics) const override {
    const double* const target = physics.site_xpos(config_.target);
    const double* const ball = physics.xpos(config_.ball);
    const bool is_inside = std::abs(target[0] - ball[0]) < config_.reach_x &&
                           std::abs(target[2] - ball[2]) < config_.reach_z;
    return is_inside ? 1.0 : 0.0;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos());
    writer.Leaf().Put(physics.qvel());
  }

 private:
  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_BALL_IN_CUP_H_
