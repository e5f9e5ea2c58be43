// Pusher: push a cylinder to a goal with an arm of seven joints. The task is Gymnasium 1.4.0's
// Pusher-v5 with its pusher_v5.xml. MuJoCo computes the dynamics, the other arithmetic is
// Gymnasium's, and trajectories are bit-equal to Gymnasium's. Gymnasium's Pusher-v4 does not run on
// this version of MuJoCo. Each instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_PUSHER_H_
#define ENGINE_ENVS_MUJOCO_PUSHER_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/environment.h"
#include "engine/env/state.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/rows.h"
#include "engine/envs/mujoco/simulation.h"
#include "engine/envs/mujoco/task.h"

namespace engine::mujoco {

class Pusher : public Task {
 public:
  static ParamSchema Options() {
    return {XmlFile("pusher_v5.xml"),
            FrameSkip(5),
            Weight("reward_near_weight", 0.5, "Weight of the tip's distance to the object (1/m)."),
            Weight("reward_dist_weight", 1.0, "Weight of the object's distance to the goal (1/m)."),
            Weight("reward_control_weight", 0.1, "Weight of the squared action in the cost."),
            CameraConfig(Version::kV5, {{"trackbodyid", {-1.0}}, {"distance", {4.0}}}),
            NoiseScale("reset_qvel_scale", 0.005,
                       "Scale of the noise added to velocities at a reset (rad/s)."),
            Bounds("cylinder_x_range", {-0.3, 0.0}, "Interval of the object's x at a reset (m)."),
            Bounds("cylinder_y_range", {-0.2, 0.2}, "Interval of the object's y at a reset (m)."),
            Weight("cylinder_dist_min", 0.17,
                   "Least distance of the object from the goal at a reset (m), exclusive.")};
  }

  struct Constants : Timing {
    Constants(const Timing& timing, const ParamValues& options)
        : Timing(timing),
          near_weight(options.Get<double>("reward_near_weight")),
          distance_weight(options.Get<double>("reward_dist_weight")),
          control_weight(options.Get<double>("reward_control_weight")) {}

    double near_weight;
    double distance_weight;
    double control_weight;
  };

  struct Config : Basics {
    explicit Config(const ParamValues& options)
        : Basics(options),
          constants(timing, options),
          qvel_scale(ReadNoiseScale(options, "reset_qvel_scale")),
          x_range(ReadPlaces(options, "cylinder_x_range")),
          y_range(ReadPlaces(options, "cylinder_y_range")),
          nearest(options.Get<double>("cylinder_dist_min")),
          tip(model.BodyId("tips_arm")),
          object(model.BodyId("object")),
          goal(model.BodyId("goal")) {
      model.RequireAtLeast(kJoints + 4, model->nq, "positions (nq)");
      model.RequireAtLeast(kJoints + 4, model->nv, "velocities (nv)");
      CheckPlaces();
    }

    Constants constants;
    double qvel_scale;  // rad/s
    Interval x_range;   // m, of the object after a reset
    Interval y_range;
    double nearest;  // m, least initial distance from the object to the goal
    int tip;         // body
    int object;
    int goal;

   private:
    static Interval ReadPlaces(const ParamValues& options, const char* name) {
      const Interval places = ReadBounds(options, name);
      // + 0.0 turns -0.0 into 0.0, because the width of the interval must not be -0.0.
      if (std::isfinite(places.high - places.low)) return {places.low + 0.0, places.high + 0.0};
      throw Error(ErrorKind::kOption, std::string(name) + ": expected two finite numbers, got " +
                                          ToString(std::vector{places.low, places.high}));
    }

    // Throws Error{kOption} if no position of a grid is far enough from the goal, because a reset
    // draws positions of the object until one is far enough.
    void CheckPlaces() const {
      constexpr int kCells = 64;  // along each axis
      const auto middle = [](Interval range, int cell) {
        return std::lerp(range.low, range.high, (cell + 0.5) / kCells);
      };
      for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
          const std::array place = {middle(x_range, i), middle(y_range, j)};
          if (Norm(place) > nearest) return;
        }
      }
      throw Error(
          ErrorKind::kOption,
          "cylinder_dist_min: expected places farther from the goal in cylinder_x_range and "
          "cylinder_y_range, got none beyond " +
              std::to_string(nearest) + " m");
    }
  };

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    EnvSpec spec = SpecOf(config, 2 * kJoints + 3 * 3);
    spec.infos = {Number("reward_dist"), Number("reward_near")};
    AddActionTerm("reward_ctrl", spec);
    return spec;
  }

  explicit Pusher(const Config& config)
      : Task(config), config_(config), constants_(config.constants) {}

  void Reset(const Start&, Rng& rng) {
    simulation_.BeginReset();
    std::array<double, 2> object;
    do {
      object[0] = rng.Uniform(config_.x_range.low, config_.x_range.high);
      object[1] = rng.Uniform(config_.y_range.low, config_.y_range.high);
    } while (!(Norm(object) > config_.nearest));
    // The last four positions are those of the object and of the goal.
    const auto placed = simulation_.qpos().last(4);
    std::ranges::copy(object, placed.begin());
    std::ranges::fill(placed.last(2), 0.0);
    AddUniform(simulation_.qvel(), config_.qvel_scale, rng);
    std::ranges::fill(simulation_.qvel().last(4), 0.0);
    simulation_.EndReset();
  }

  StepResult Step(ActionView action, Rng&) { return Act(simulation_.Controls<float>(action)); }
  StepResult StepFloat64(ActionView action, Rng&) {
    return Act(simulation_.Controls<double>(action));
  }

  void Observe(ObsRow row) const {
    RowWriter writer(row);
    writer.Put(simulation_.qpos().first(kJoints));
    writer.Put(simulation_.qvel().first(kJoints));
    for (const int body : {config_.tip, config_.object, config_.goal}) {
      writer.Put(simulation_.BodyPosition(body));
    }
  }

  void Info(InfoRow row, bool after_reset) const {
    if (after_reset) return;
    row.Set(kDistanceReward, distance_reward_);
    control_reward_.SetIn(row, kControlReward);
    row.Set(kNearReward, near_reward_);
  }

  void Save(StateWriter& state) const {
    SaveWith(state, near_reward_, distance_reward_, control_reward_);
  }
  void Load(StateReader& state) {
    LoadWith(state, near_reward_, distance_reward_, control_reward_);
  }

 private:
  template <std::floating_point T>
  StepResult Act(std::span<const T> action) {
    simulation_.Step(action, constants_->frame_skip, BodyForces::kNo);
    near_reward_ =
        -Norm(Difference(simulation_, config_.object, config_.tip)) * constants_->near_weight;
    distance_reward_ =
        -Norm(Difference(simulation_, config_.object, config_.goal)) * constants_->distance_weight;
    const T control_reward = -SumOfSquares(action) * static_cast<T>(constants_->control_weight);
    control_reward_ = ActionTerm(control_reward);
    return {.reward = distance_reward_ + static_cast<double>(control_reward) + near_reward_};
  }

  static constexpr int kJoints = 7;  // joints of the arm

  enum InfoField : std::size_t { kDistanceReward, kNearReward, kControlReward };

  static constexpr Attribute<Constants> kAttributes[] = {
      AttributeOf<&Constants::near_weight, Constants>("_reward_near_weight"),
      AttributeOf<&Constants::distance_weight, Constants>("_reward_dist_weight"),
      AttributeOf<&Constants::control_weight, Constants>("_reward_control_weight"),
      FrameSkipAttribute<Constants>()};

  const Config& config_;
  SharedAttributes<Constants> constants_;
  // Values of the latest step.
  double near_reward_ = 0.0;
  double distance_reward_ = 0.0;
  ActionTerm control_reward_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_PUSHER_H_
