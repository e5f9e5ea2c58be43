// Quadruped: walk or run with a body that has four legs, escape from a bowl, or bring a ball to the
// centre. MuJoCo computes the dynamics of dm_control's quadruped.xml. Rewards and resets are those
// of dm_control's suite.quadruped.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_QUADRUPED_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_QUADRUPED_H_

#include <cstddef>
#include <vector>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"
#include "engine/envs/mujoco/dm_control/terrain.h"

namespace engine::mujoco::suite {

// The common configuration of all tasks of the quadruped.
struct QuadrupedConfig {
  QuadrupedConfig(const SuiteModel& model, double degrees_from_upright);

  void Observe(const Physics& physics, ObservationWriter& writer) const;
  double UprightReward(const Physics& physics) const { return upright(physics.xmat(torso)[8]); }
  // Sets the root to the lowest height without contacts, in steps of 1 cm. Throws Error{kInternal}
  // if there is no such height up to 100 m.
  void FindFreeHeight(Physics& physics, const Quaternion& orientation, double x, double y) const;

  int torso, workspace, velocimeter;
  std::size_t root;
  std::vector<std::size_t> hinge_qpos, hinge_dof;
  // Addresses in sensordata of all values of these sensors.
  std::vector<int> imu, force_torque, rangefinders;
  Tolerance upright;
};

std::vector<Leaf> QuadrupedLeaves();
std::vector<Range> QuadrupedControls();

// The task to walk or run.
class QuadrupedMove final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues& options) {
    return {.model = "quadruped " + TaskOf(options),
            .timestep = 0.005,
            .steps = 4,
            .leaves = QuadrupedLeaves(),
            .controls = QuadrupedControls()};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : common(model, 0.0), speed(TaskOf(options) == "walk" ? 0.5 : 5.0) {}

    QuadrupedConfig common;
    double speed;  // m/s, the reward for moving is 1 from this speed
    Tolerance moves{{.lower = speed,
                     .upper = kInfinity,
                     .margin = speed,
                     .sigmoid = Sigmoid::kLinear,
                     .value_at_margin = 0.5}};
  };
  explicit QuadrupedMove(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    config_.common.FindFreeHeight(physics, RandomQuaternion(random), 0.0, 0.0);
  }
  double Reward(const Physics& physics) const override {
    const double move_reward = config_.moves(*physics.sensor(config_.common.velocimeter));
    return config_.common.UprightReward(physics) * move_reward;
  }
  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    config_.common.Observe(physics, writer);
  }

 private:
  const Config& config_;
};

// The task to bring a ball to the centre.
class QuadrupedFetch final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    Description description{.model = "quadruped fetch",
                            .timestep = 0.005,
                            .steps = 4,
                            .leaves = QuadrupedLeaves(),
                            .controls = QuadrupedControls()};
    description.leaves.push_back({"ball_state", {9}});
    description.leaves.push_back({"target_position", {3}});
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options);

    QuadrupedConfig common;
    int ball, target;
    std::size_t ball_qpos, ball_dof, root_dof;
    double spawn_radius;  // m
    Tolerance reaches, fetches;
  };
  explicit QuadrupedFetch(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override;
  double Reward(const Physics& physics) const override;
  void Observe(const Physics& physics, ObservationWriter& writer) const override;

 private:
  const Config& config_;
};

// The task to leave a bowl with random bumps.
class QuadrupedEscape final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    Description description{.model = "quadruped escape",
                            .timestep = 0.005,
                            .steps = 4,
                            .leaves = QuadrupedLeaves(),
                            .controls = QuadrupedControls(),
                            .own_arrays = {OwnArray::kHfieldData}};
    description.leaves.push_back({"origin", {3}});
    description.leaves.push_back({"rangefinder", {20}});
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options);

    QuadrupedConfig common;
    double terrain_size;  // m, half the side of the terrain
    Terrain terrain;
    int hfield_adr;
    Tolerance escapes;
  };
  explicit QuadrupedEscape(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override;
  double Reward(const Physics& physics) const override;
  void Observe(const Physics& physics, ObservationWriter& writer) const override;

 private:
  const Config& config_;
  std::vector<double> scratch_;  // memory for drawing terrains
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_QUADRUPED_H_
