// Fish: keep a fish upright, or let it swim to a target. MuJoCo computes the dynamics of
// dm_control's fish.xml. Rewards and resets are those of dm_control's suite.fish.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_FISH_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_FISH_H_

#include <array>
#include <cstddef>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Fish final : public SuiteTask {
 public:
  static ParamSchema Options() { return {}; }
  static Description Describe(const ParamValues& options) {
    Description description{
        .model = "fish", .timestep = 0.004, .steps = 10, .leaves = {}, .controls = UnitControls(5)};
    description.leaves = {{"joint_angles", {7}}, {"upright", {}}};
    if (Swims(options)) {
      description.leaves.push_back({"target", {3}});
      description.own_arrays = {OwnArray::kGeomPos};
    }
    description.leaves.push_back({"velocity", {13}});
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : swims(Swims(options)),
          torso(model.Body("torso")),
          target(model.Geom("target")),
          mouth(model.Geom("mouth")),
          root(static_cast<std::size_t>(model.Qpos("root"))) {
      constexpr const char* kJoints[] = {"tail1",         "tail_twist",     "tail2",
                                         "finright_roll", "finright_pitch", "finleft_roll",
                                         "finleft_pitch"};
      for (std::size_t i = 0; i < joints.size(); ++i) {
        joints[i] = static_cast<std::size_t>(model.Qpos(kJoints[i]));
      }
      const SuiteModelFields& fields = model.suite_fields();
      const double radii = fields.geom_size[3 * mouth] + fields.geom_size[3 * target];
      in_target = Tolerance({.upper = radii, .margin = 2.0 * radii});
      if (!swims) fields.geom_rgba[4 * target + 3] = 0.0f;  // hidden
    }

    bool swims;
    int torso, target, mouth;
    std::size_t root;
    std::array<std::size_t, 7> joints;
    Tolerance is_upright{{.lower = 1.0, .upper = 1.0, .margin = 1.0}};
    Tolerance in_target;
  };
  explicit Fish(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    const Quaternion orientation = RandomQuaternion(random);
    std::ranges::copy(orientation, &physics.qpos()[config_.root + 3]);
    for (const std::size_t joint : config_.joints) {
      physics.qpos()[joint] = random.Uniform(-0.2, 0.2);
    }
    if (!config_.swims) return;
    double* const position = physics.model().geom_pos + 3 * config_.target;
    position[0] = random.Uniform(-0.4, 0.4);
    position[1] = random.Uniform(-0.4, 0.4);
    position[2] = random.Uniform(0.1, 0.3);
  }

  double Reward(const Physics& physics) const override {
    const double upright = physics.xmat(config_.torso)[8];
    if (!config_.swims) return config_.is_upright(upright);
    const double in_target = config_.in_target(Norm(ToTarget(physics)));
    const double is_upright = 0.5 * (upright + 1.0);
    return (7.0 * in_target + is_upright) / 8.0;
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    writer.Leaf();
    for (const std::size_t joint : config_.joints) writer.Put(physics.qpos()[joint]);
    writer.Leaf().Put(physics.xmat(config_.torso)[8]);
    if (config_.swims) writer.Leaf().Put(ToTarget(physics));
    writer.Leaf().Put(physics.qvel());
  }

 private:
  static bool Swims(const ParamValues& options) { return TaskOf(options) == "swim"; }

  // Returns the vector from the mouth to the target (m), in the frame of the mouth.
  Vector ToTarget(const Physics& physics) const {
    return InFrame(Difference(physics.geom_xpos(config_.target), physics.geom_xpos(config_.mouth)),
                   physics.geom_xmat(config_.mouth));
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_FISH_H_
