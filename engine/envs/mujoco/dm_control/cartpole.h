// Cart-pole: balance one or more poles in a chain on a cart, or swing them up. MuJoCo computes the
// dynamics of dm_control's cartpole.xml. Rewards and resets are those of dm_control's
// suite.cartpole.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_CARTPOLE_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_CARTPOLE_H_

#include <cstddef>
#include <numbers>
#include <string>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco::suite {

// The number of poles and the kind of reward are options. All ids except CartpoleThreePoles fix
// them.
class Cartpole final : public SuiteTask {
 public:
  // dm_control sets no limit. This limit of the engine is a chain that MuJoCo compiles in a second.
  static constexpr std::int64_t kMaxPoles = 100;

  static ParamSchema Options(std::int64_t num_poles, bool sparse, bool are_fixed) {
    ParamSpec poles{.name = "num_poles",
                    .default_value = num_poles,
                    .doc = "Number of poles in the chain.",
                    .low = 1.0,
                    .high = static_cast<double>(kMaxPoles)};
    ParamSpec is_sparse =
        Flag("sparse", sparse, "Whether the reward is 1 or 0 instead of a smooth value.");
    poles.fixed = are_fixed;
    is_sparse.fixed = are_fixed;
    return {poles, is_sparse};
  }
  static Description Describe(const ParamValues& options) {
    const auto poles = options.Get<std::int64_t>("num_poles");
    return {.model = "cartpole " + std::to_string(poles),
            .timestep = 0.01,
            .steps = 1,
            .leaves = {{"position", {1 + 2 * poles}}, {"velocity", {1 + poles}}},
            .controls = UnitControls(1)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : slider(static_cast<std::size_t>(model.Qpos("slider"))),
          first_hinge(static_cast<std::size_t>(model.Qpos("hinge_1"))),
          num_poles(static_cast<int>(options.Get<std::int64_t>("num_poles"))),
          swings_up(TaskOf(options) != "balance"),
          is_sparse(options.Get<bool>("sparse")) {}

    std::size_t slider, first_hinge;
    int num_poles;
    bool swings_up;
    bool is_sparse;
    Tolerance cart_in_bounds{{.lower = -0.25, .upper = 0.25}};
    Tolerance angle_in_bounds{{.lower = 0.995, .upper = 1.0}};
    Tolerance centered{{.margin = 2.0}};
    Tolerance small_control = SmallControls();
    Tolerance small_velocity{{.margin = 5.0}};
  };
  explicit Cartpole(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    const std::span<double> qpos = physics.qpos();
    if (config_.swings_up) {
      qpos[config_.slider] = 0.01 * random.Randn();
      qpos[config_.first_hinge] = std::numbers::pi + 0.01 * random.Randn();
      for (double& angle : qpos.subspan(2)) angle = 0.1 * random.Randn();
    } else {
      qpos[config_.slider] = random.Uniform(-0.1, 0.1);
      for (double& angle : qpos.subspan(1)) angle = random.Uniform(-0.034, 0.034);
    }
    for (double& speed : physics.qvel()) speed = 0.01 * random.Randn();
  }

  double Reward(const Physics& physics) const override {
    const double position = physics.qpos()[config_.slider];
    if (config_.is_sparse) {
      double angles = 1.0;
      for (int pole = 0; pole < config_.num_poles; ++pole) {
        angles *= config_.angle_in_bounds.OfElement(Cosine(physics, pole));
      }
      return config_.cart_in_bounds(position) * angles;
    }
    const auto num_poles = static_cast<std::size_t>(config_.num_poles);
    const double upright = PairwiseSum<double>(
        [&](std::size_t pole) { return (Cosine(physics, static_cast<int>(pole)) + 1.0) / 2.0; }, 0,
        num_poles);
    const double centered = (1.0 + config_.centered(position)) / 2.0;
    const double small_control =
        (4.0 + config_.small_control.OfElement(physics.controls()[0])) / 5.0;
    const double small_velocity =
        (1.0 + config_.small_velocity.Min(physics.qvel().subspan(1))) / 2.0;
    return upright / static_cast<double>(num_poles) * small_control * small_velocity * centered;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos()[config_.slider]);
    for (int pole = 0; pole < config_.num_poles; ++pole) {
      writer.Pick(physics.xmat(kFirstPole + pole), {8, 2});
    }
    writer.Leaf().Put(physics.qvel());
  }

 private:
  static constexpr int kFirstPole = 2;  // body of the first pole, after the world and the cart

  static double Cosine(const Physics& physics, int pole) {
    return physics.xmat(kFirstPole + pole)[8];
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_CARTPOLE_H_
