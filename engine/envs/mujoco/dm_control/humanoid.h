// Humanoid: stand, walk or run with a body that has two arms and two legs. There are two bodies: a
// simple one, and one made from motion capture (CMU). MuJoCo computes the dynamics of dm_control's
// humanoid.xml and humanoid_CMU.xml. Rewards and resets are those of dm_control's suite.humanoid
// and suite.humanoid_CMU.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_HUMANOID_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_HUMANOID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

// The values in which the two models differ.
struct HumanoidModel {
  const char* name;
  double timestep;  // s
  std::int64_t steps;
  std::int64_t num_joints;
  const char* torso;
  std::size_t up;  // index of the element of the torso's matrix that is 1 if the torso is upright
  const char* velocity;
  std::array<const char*, 4> extremities;
};
inline constexpr HumanoidModel kSimpleHumanoid = {
    .name = "humanoid",
    .timestep = 0.005,
    .steps = 5,
    .num_joints = 21,
    .torso = "torso",
    .up = 8,
    .velocity = "torso_subtreelinvel",
    .extremities = {"left_hand", "left_foot", "right_hand", "right_foot"}};
inline constexpr HumanoidModel kCmuHumanoid = {.name = "humanoid_CMU",
                                               .timestep = 0.002,
                                               .steps = 10,
                                               .num_joints = 56,
                                               .torso = "thorax",
                                               .up = 7,
                                               .velocity = "thorax_subtreelinvel",
                                               .extremities = {"lhand", "lfoot", "rhand", "rfoot"}};

template <const HumanoidModel& kModel>
class HumanoidOf final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues& options) {
    constexpr std::int64_t kJoints = kModel.num_joints;
    Description description{.model = kModel.name,
                            .timestep = kModel.timestep,
                            .steps = kModel.steps,
                            .leaves = {{"joint_angles", {kJoints}},
                                       {"head_height", {}},
                                       {"extremities", {12}},
                                       {"torso_vertical", {3}},
                                       {"com_velocity", {3}},
                                       {"velocity", {6 + kJoints}}},
                            .controls = UnitControls(kJoints)};
    if (IsPure(options)) {
      description.leaves = {{"position", {7 + kJoints}}, {"velocity", {6 + kJoints}}};
    }
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : joints(model),
          torso(model.Body(kModel.torso)),
          head(model.Body("head")),
          velocity(model.Sensor(kModel.velocity)),
          is_pure(IsPure(options)),
          speed(SpeedOf(TaskOf(options))),
          moves({.lower = speed,
                 .upper = kInfinity,
                 .margin = speed,
                 .sigmoid = Sigmoid::kLinear,
                 .value_at_margin = 0.0}) {
      for (std::size_t i = 0; i < extremities.size(); ++i) {
        extremities[i] = model.Body(kModel.extremities[i]);
      }
    }

    RandomJoints joints;
    int torso, head, velocity;
    std::array<int, 4> extremities;
    bool is_pure;
    double speed;  // m/s, the reward for moving is 1 from this speed; 0: the task is to stand
    Tolerance stands{{.lower = kStandHeight, .upper = kInfinity, .margin = kStandHeight / 4.0}};
    Tolerance is_upright{{.lower = 0.9,
                          .upper = kInfinity,
                          .margin = 1.9,
                          .sigmoid = Sigmoid::kLinear,
                          .value_at_margin = 0.0}};
    Tolerance small_control = SmallControls();
    Tolerance rests{{.margin = 2.0}};
    Tolerance moves;
  };
  explicit HumanoidOf(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    DrawWithoutContacts(config_.joints, physics, random, kManyAttempts);
  }

  double Reward(const Physics& physics) const override {
    const double standing = config_.stands(physics.xpos(config_.head)[2]);
    const double stand_reward =
        standing * config_.is_upright(physics.xmat(config_.torso)[kModel.up]);
    const double small_control = (4.0 + config_.small_control.Mean(physics.controls())) / 5.0;
    const std::span<const double> horizontal(physics.sensor(config_.velocity), 2);
    const double motion = config_.speed == 0.0
                              ? config_.rests.Mean(horizontal)
                              : (5.0 * config_.moves(Norm(horizontal)) + 1.0) / 6.0;
    return small_control * stand_reward * motion;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    if (config_.is_pure) {
      writer.Leaf().Put(physics.qpos());
      writer.Leaf().Put(physics.qvel());
      return;
    }
    const double* const torso = physics.xmat(config_.torso);
    writer.Leaf().Put(physics.qpos().subspan(7));  // the positions after those of the root
    writer.Leaf().Put(physics.xpos(config_.head)[2]);
    writer.Leaf();
    for (const int body : config_.extremities) {
      writer.Put(InFrame(Difference(physics.xpos(body), physics.xpos(config_.torso)), torso));
    }
    writer.Leaf().Pick(torso, {6, 7, 8});
    writer.Leaf().Put(physics.sensor(config_.velocity), 3);
    writer.Leaf().Put(physics.qvel());
  }

 private:
  static constexpr double kStandHeight = 1.4;  // m, height of the head

  static bool IsPure(const ParamValues& options) { return TaskOf(options) == "run_pure_state"; }
  static double SpeedOf(const std::string& task) {
    if (task == "stand") return 0.0;
    return task == "walk" ? 1.0 : 10.0;
  }

  const Config& config_;
};

using Humanoid = HumanoidOf<kSimpleHumanoid>;
using HumanoidCmu = HumanoidOf<kCmuHumanoid>;

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_HUMANOID_H_
