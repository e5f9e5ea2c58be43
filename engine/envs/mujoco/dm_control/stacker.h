// Stacker: stack two or four boxes with a planar arm. MuJoCo computes the dynamics of dm_control's
// stacker.xml. Rewards and resets are those of dm_control's suite.stacker.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_STACKER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_STACKER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "engine/envs/mujoco/dm_control/arm.h"
#include "engine/envs/mujoco/dm_control/manipulator.h"
#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Stacker final : public SuiteTask {
 public:
  static ParamSchema Options() { return {FullyObservable()}; }
  static Description Describe(const ParamValues& options) {
    const std::int64_t boxes = NumBoxes(options);
    Description description{.model = "stacker " + std::to_string(boxes),
                            .timestep = 0.001,
                            .steps = 10,
                            .leaves = ArmLeaves(),
                            .controls = UnitControls(5),
                            .own_arrays = {OwnArray::kBodyPos}};
    if (options.Get<bool>("fully_observable")) {
      description.leaves.push_back({"hand_pos", {4}});
      description.leaves.push_back({"box_pos", {boxes, 4}});
      description.leaves.push_back({"box_vel", {3 * boxes}});
      description.leaves.push_back({"target_pos", {2}});
    }
    return description;
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues& options)
        : arm(model),
          is_fully_observable(options.Get<bool>("fully_observable")),
          target(model.Body("target")),
          target_site(model.Site("target")),
          box_size(model.suite_fields().geom_size[3 * model.Geom("target")]),
          box_is_close({.margin = 2.0 * box_size}) {
      constexpr const char* kAxes[] = {"_x", "_y", "_z"};
      for (std::int64_t i = 0; i < NumBoxes(options); ++i) {
        const std::string name = "box" + std::to_string(i);
        Box box{.body = model.Body(name.c_str()),
                .site = model.Site(name.c_str()),
                .qpos = {},
                .dof = {}};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::string joint = name + kAxes[axis];
          box.qpos[axis] = static_cast<std::size_t>(model.Qpos(joint.c_str()));
          box.dof[axis] = static_cast<std::size_t>(model.Dof(joint.c_str()));
        }
        boxes.push_back(box);
      }
    }

    struct Box {
      int body, site;
      std::array<std::size_t, 3> qpos, dof;  // x, rotation about y, z
    };

    Arm arm;
    bool is_fully_observable;
    int target, target_site;
    double box_size;  // m
    std::vector<Box> boxes;
    Tolerance box_is_close;
    Tolerance hand_is_far{{.lower = 0.1, .upper = kInfinity, .margin = 0.01}};
  };
  explicit Stacker(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    for (int attempt = 0; attempt < kManyAttempts; ++attempt) {
      config_.arm.Draw(physics, random);
      double* const target = physics.model().body_pos + 3 * config_.target;
      const std::uint32_t level = random.Randint(static_cast<std::uint32_t>(config_.boxes.size()));
      target[2] = config_.box_size * (2.0 * level + 1.0);
      target[0] = random.Uniform(-0.37, 0.37);
      const std::span<double> qpos = physics.qpos();
      for (const auto& box : config_.boxes) {
        qpos[box.qpos[0]] = random.Uniform(0.1, 0.3);
        qpos[box.qpos[2]] = random.Uniform(0.0, 0.7);
        qpos[box.qpos[1]] = random.Uniform(0.0, 2.0 * std::numbers::pi);
      }
      physics.Forward();
      if (physics.num_contacts() == 0) return;
    }
    ThrowNoFreeState(kManyAttempts);
  }

  double Reward(const Physics& physics) const override {
    double nearest = kInfinity;
    for (const auto& box : config_.boxes) {
      nearest = std::min(nearest, SiteDistance(physics, box.site, config_.target_site));
    }
    const double hand = SiteDistance(physics, config_.arm.grasp, config_.target_site);
    return config_.box_is_close(nearest) * config_.hand_is_far(hand);
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    config_.arm.Observe(physics, writer);
    if (!config_.is_fully_observable) return;
    PutPose(physics, config_.arm.hand, writer.Leaf());
    writer.Leaf();
    for (const auto& box : config_.boxes) PutPose(physics, box.body, writer);
    writer.Leaf();
    for (const auto& box : config_.boxes) {
      for (const std::size_t dof : box.dof) writer.Put(physics.qvel()[dof]);
    }
    writer.Leaf().Pick(physics.xpos(config_.target), {0, 2});
  }

 private:
  static std::int64_t NumBoxes(const ParamValues& options) {
    return TaskOf(options) == "stack_2" ? 2 : 4;
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_STACKER_H_
