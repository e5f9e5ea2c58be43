// Reacher: bring the tip of a planar arm with two links to a target. The tasks are Gymnasium
// 1.4.0's Reacher-v4 and Reacher-v5 with its reacher.xml. MuJoCo computes the dynamics, the other
// arithmetic is Gymnasium's, and trajectories are bit-equal to Gymnasium's. Each instance runs on
// one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_REACHER_H_
#define ENGINE_ENVS_MUJOCO_REACHER_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/numpy_kernels.h"
#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

template <Version kVersion>
class Reacher : public Task {
 public:
  static constexpr bool kIsV5 = kVersion == Version::kV5;

  static ParamSchema Options() {
    return {
        XmlFile("reacher.xml"),
        FrameSkip(2),
        Weight("reward_dist_weight", 1.0,
               "Weight of the fingertip's distance to the target (1/m)."),
        Weight("reward_control_weight", 1.0, "Weight of the squared action in the cost."),
        CameraConfig(kVersion, {{"trackbodyid", {0.0}}}),
        NoiseScale("reset_qpos_scale", 0.1, "Scale of the noise added to angles at a reset (rad)."),
        NoiseScale("reset_qvel_scale", 0.005,
                   "Scale of the noise added to velocities at a reset (rad/s)."),
        ResetGoalScale()};
  }

  struct Constants : Timing {
    Constants(const Timing& timing, const ParamValues& options)
        : Timing(timing),
          distance_weight(options.Get<double>("reward_dist_weight")),
          control_weight(options.Get<double>("reward_control_weight")) {}

    double distance_weight;
    double control_weight;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options),
          constants(timing, options),
          qpos_scale(ReadNoiseScale(options, "reset_qpos_scale")),
          qvel_scale(ReadNoiseScale(options, "reset_qvel_scale")),
          reach(options.Get<double>(kGoalScale)),
          fingertip(model.BodyId("fingertip")),
          target(model.BodyId("target")) {
      model.RequireAtLeast(kJoints + kGoal, model->nq, "positions (nq)");
      model.RequireAtLeast(kJoints + kGoal, model->nv, "velocities (nv)");
    }

    Constants constants;
    double qpos_scale;  // rad
    double qvel_scale;  // rad/s
    double reach;       // m, largest distance of a target
    int fingertip;      // body
    int target;
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    // Gymnasium uses the size for its own model even with another model.
    EnvSpec spec =
        SpecOf(config, 2 * kJoints + (config.model->nq - kJoints) + kJoints + kObservedOffset);
    spec.infos = {Number("reward_dist")};
    AddActionTerm("reward_ctrl", spec);
    return spec;
  }

  explicit Reacher(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    simulation_.BeginReset();
    const auto qpos = simulation_.qpos();
    AddUniform(qpos, config_.qpos_scale, rng);
    std::array<double, kGoal> goal;
    do {
      for (double& coordinate : goal) coordinate = rng.Uniform(-config_.reach, config_.reach);
    } while (!(Norm(goal) < config_.reach));
    std::ranges::copy(goal, qpos.last(kGoal).begin());
    AddUniform(simulation_.qvel(), config_.qvel_scale, rng);
    std::ranges::fill(simulation_.qvel().last(kGoal), 0.0);
    simulation_.EndReset();
  }

  StepResult Step(ActionView action, Rng&) { return Act(simulation_.Controls<float>(action)); }
  StepResult StepFloat64(ActionView action, Rng&) {
    return Act(simulation_.Controls<double>(action));
  }

  void Observe(ObsRow row) const {
    const auto angles = simulation_.qpos().first(kJoints);
    const auto offset = Offset();
    RowWriter writer(row);
    for (const double angle : angles) writer.Put(NumpyCos(angle));
    for (const double angle : angles) writer.Put(NumpySin(angle));
    writer.Put(simulation_.qpos().subspan(kJoints));
    writer.Put(simulation_.qvel().first(kJoints));
    writer.Put(std::span(offset).first(kObservedOffset));
  }

  void Info(InfoRow row, bool after_reset) const {
    if (after_reset) return;
    row.Set(kDistanceReward, distance_reward_);
    control_reward_.SetIn(row, kControlReward);
  }

  void Save(StateWriter& state) const { SaveWith(state, distance_reward_, control_reward_); }
  void Load(StateReader& state) { LoadWith(state, distance_reward_, control_reward_); }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    // v4 rewards the distance at the beginning of the step.
    if (!kIsV5) distance_reward_ = DistanceReward();
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    if (kIsV5) distance_reward_ = DistanceReward();
    const T control_reward = -SumOfSquares(action) * static_cast<T>(constants_->control_weight);
    control_reward_ = ActionTerm(control_reward);
    return {.reward = distance_reward_ + static_cast<double>(control_reward)};
  }

  static constexpr int kJoints = 2;  // joints of the arm; the target's coordinates come last
  static constexpr int kGoal = 2;
  static constexpr const char* kGoalScale = "reset_goal_scale";
  // The size of the vector from the target to the tip. v5 omits the height, which is always 0.
  static constexpr int kObservedOffset = kIsV5 ? 2 : 3;

  enum InfoField : std::size_t { kDistanceReward, kControlReward };

  // The target is drawn again until it is nearer than this distance. For a distance of 0, the draws
  // would never end.
  static ParamSpec ResetGoalScale() {
    ParamSpec option =
        NoiseScale(kGoalScale, 0.2, "Distance (m) from the middle that targets stay within.");
    option.low = 1e-9;
    option.high = 1e9;
    return option;
  }

  std::array<double, 3> Offset() const {
    return Difference(simulation_, config_.fingertip, config_.target);
  }
  double DistanceReward() const { return -Norm(Offset()) * constants_->distance_weight; }

  // v4 lacks the last ones.
  static constexpr Attribute<Constants> kAllAttributes[] = {
      FrameSkipAttribute<Constants>(),
      AttributeOf<&Constants::distance_weight, Constants>("_reward_dist_weight"),
      AttributeOf<&Constants::control_weight, Constants>("_reward_control_weight")};
  static constexpr std::span<const Attribute<Constants>> kAttributes{kAllAttributes, kIsV5 ? 3 : 1};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double distance_reward_ = 0.0;
  ActionTerm control_reward_;
};

using ReacherV4 = Reacher<Version::kV4>;
using ReacherV5 = Reacher<Version::kV5>;

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_REACHER_H_
