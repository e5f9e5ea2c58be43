// Point mass: move a mass on a plane to the centre. In the hard task, the directions of the
// controls are random in each episode. MuJoCo computes the dynamics of dm_control's point_mass.xml.
// Rewards and resets are those of dm_control's suite.point_mass.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_POINT_MASS_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_POINT_MASS_H_

#include <array>
#include <cmath>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class PointMass final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues& options) {
    Description description{.model = "point_mass",
                            .timestep = 0.02,
                            .steps = 1,
                            .leaves = {{"position", {2}}, {"velocity", {2}}},
                            .controls = UnitControls(2)};
    if (IsHard(options)) description.own_arrays = {OwnArray::kWrapPrm};
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : joints(model),
          target(model.Geom("target")),
          mass(model.Geom("pointmass")),
          is_hard(IsHard(options)) {
      const double radius = model.suite_fields().geom_size[3 * target];
      near_target = Tolerance({.upper = radius, .margin = radius});
    }

    RandomJoints joints;
    int target, mass;
    bool is_hard;
    Tolerance near_target;
    Tolerance small_control = SmallControls();
  };
  explicit PointMass(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    config_.joints.Draw(physics, random);
    if (!config_.is_hard) return;
    constexpr double kTooParallel = 0.9;  // cosine of the angle between the two directions
    const Direction first = RandomDirection(random);
    Direction second;
    do {
      second = RandomDirection(random);
    } while (std::abs(NumpyDot(first, second)) > kTooParallel);
    double* const gains = physics.model().wrap_prm;
    std::ranges::copy(first, gains);
    std::ranges::copy(second, gains + 2);
  }

  double Reward(const Physics& physics) const override {
    const Vector to_target =
        Difference(physics.geom_xpos(config_.target), physics.geom_xpos(config_.mass));
    const double near_target = config_.near_target(Norm(to_target));
    const double small_control = (config_.small_control.Mean(physics.controls()) + 4.0) / 5.0;
    return near_target * small_control;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos());
    writer.Leaf().Put(physics.qvel());
  }

 private:
  using Direction = std::array<double, 2>;

  static bool IsHard(const ParamValues& options) { return TaskOf(options) == "hard"; }

  static Direction RandomDirection(RandomState& random) {
    Direction direction;
    random.Randn(direction);
    const double norm = Norm(direction);
    for (double& value : direction) value /= norm;
    return direction;
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_POINT_MASS_H_
