// Cheetah: run with a planar body that has two legs. MuJoCo computes the dynamics of dm_control's
// cheetah.xml. Rewards and resets are those of dm_control's suite.cheetah.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_CHEETAH_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_CHEETAH_H_

#include <cstddef>
#include <vector>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Cheetah final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues&) {
    return {.model = "cheetah",
            .timestep = 0.01,
            .steps = 1,
            .leaves = {{"position", {8}}, {"velocity", {9}}},
            .controls = UnitControls(6)};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : order(options.Get<bool>("legacy_step") ? StepOrder::kLegacy : StepOrder::kPlain),
          velocity(model.Sensor("torso_subtreelinvel")) {
      const SuiteModelFields& fields = model.suite_fields();
      for (std::int64_t i = 0; i < fields.njnt; ++i) {  // each joint has one position
        if (fields.jnt_limited[i] == 0) continue;
        joints.push_back({.qpos = static_cast<std::size_t>(i),
                          .low = fields.jnt_range[2 * i],
                          .high = fields.jnt_range[2 * i + 1]});
      }
    }

    struct LimitedJoint {
      std::size_t qpos;
      double low;
      double high;
    };

    StepOrder order;
    int velocity;
    std::vector<LimitedJoint> joints;
    Tolerance runs{{.lower = kRunSpeed,
                    .upper = kInfinity,
                    .margin = kRunSpeed,
                    .sigmoid = Sigmoid::kLinear,
                    .value_at_margin = 0.0}};
  };
  explicit Cheetah(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    constexpr int kSettlingSteps = 200;
    for (const auto& joint : config_.joints) {
      physics.qpos()[joint.qpos] = random.Uniform(joint.low, joint.high);
    }
    physics.Step(kSettlingSteps, config_.order);
    physics.SetTime(0.0);
  }

  double Reward(const Physics& physics) const override {
    return config_.runs(*physics.sensor(config_.velocity));
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf().Put(physics.qpos().subspan(1));
    writer.Leaf().Put(physics.qvel());
  }

 private:
  static constexpr double kRunSpeed = 10.0;  // m/s, the reward is 1 from this speed

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_CHEETAH_H_
