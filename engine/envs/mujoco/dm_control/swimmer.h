// Swimmer: swim to a target in a viscous fluid with a chain of links. MuJoCo computes the dynamics
// of dm_control's swimmer.xml with 6 or 15 links. Rewards and resets are those of dm_control's
// suite.swimmer.
#ifndef ENGINE_ENVS_MUJOCO_DM_CONTROL_SWIMMER_H_
#define ENGINE_ENVS_MUJOCO_DM_CONTROL_SWIMMER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/random_joints.h"
#include "engine/envs/mujoco/dm_control/rewards.h"
#include "engine/envs/mujoco/dm_control/task.h"

namespace engine::mujoco::suite {

class Swimmer final : public SuiteTask {
 public:
  static ParamSchema Options(std::int64_t num_links, bool is_fixed) {
    ParamSpec links{.name = "num_links",
                    .default_value = num_links,
                    .doc = "Number of links in the chain.",
                    .low = 3.0,
                    .high = 100.0};
    links.fixed = is_fixed;
    return {links};
  }
  static Description Describe(const ParamValues& options) {
    const auto links = options.Get<std::int64_t>("num_links");
    return {
        .model = "swimmer " + std::to_string(links),
        .timestep = 0.002,
        .steps = 15,
        .leaves = {{"joints", {links - 1}}, {"to_target", {2}}, {"body_velocities", {3 * links}}},
        .controls = UnitControls(static_cast<std::size_t>(links - 1)),
        .own_arrays = {OwnArray::kGeomPos, OwnArray::kLightPos}};
  }

  struct Config {
    Config(SuiteModel& model, const ParamValues&)
        : joints(model),
          head(model.Body("head")),
          nose(model.Geom("nose")),
          target(model.Geom("target")),
          light(model.Light("target_light")) {
      const double size = model.suite_fields().geom_size[3 * target];
      at_target = Tolerance({.upper = size, .margin = 5.0 * size, .sigmoid = Sigmoid::kLongTail});
    }

    RandomJoints joints;
    int head, nose, target, light;
    Tolerance at_target;
  };
  explicit Swimmer(const Config& config) : config_(config) {}

  void InitializeEpisode(Physics& physics, RandomState& random) override {
    constexpr double kCloseProbability = 0.2;
    config_.joints.Draw(physics, random);
    const double box = random.Rand() < kCloseProbability ? 0.3 : 2.0;  // m
    double* const target = physics.model().geom_pos + 3 * config_.target;
    double* const light = physics.model().light_pos + 3 * config_.light;
    for (const int axis : {0, 1}) target[axis] = light[axis] = random.Uniform(-box, box);
  }

  double Reward(const Physics& physics) const override {
    const Vector to_target = ToTarget(physics);
    return config_.at_target(Norm({to_target.data(), 2}));
  }

  void Observe(const Physics& physics, ObservationWriter& writer) const override {
    constexpr std::size_t kFirstVelocities = 12;   // after the sensors of positions
    constexpr std::size_t kVelocities = 6;         // per link: linear, then angular
    writer.Leaf().Put(physics.qpos().subspan(3));  // the positions after those of the root
    writer.Leaf().Put(ToTarget(physics).data(), 2);
    writer.Leaf();
    const std::span<const double> sensors = physics.sensors();
    for (std::size_t i = kFirstVelocities; i < sensors.size(); i += kVelocities) {
      writer.Pick(&sensors[i], {0, 1, 5});
    }
  }

 private:
  // Returns the vector from the nose to the target (m), in the frame of the head.
  Vector ToTarget(const Physics& physics) const {
    return InFrame(Difference(physics.geom_xpos(config_.target), physics.geom_xpos(config_.nose)),
                   physics.xmat(config_.head));
  }

  const Config& config_;
};

}  // namespace engine::mujoco::suite

#endif  // ENGINE_ENVS_MUJOCO_DM_CONTROL_SWIMMER_H_
