// AdroitHand: a hand of 24 joints opens a door, hammers a nail, turns a pen or carries a ball. The
// tasks are Gymnasium-Robotics 1.4.2's AdroitHand*-v1 with its models. MuJoCo computes the
// dynamics, the other arithmetic is the reference's, and trajectories are bit-equal to it. Each
// instance runs on one thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_HAND_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_HAND_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/environment.h"
#include "engine/envs/mujoco/basics.h"
#include "engine/envs/mujoco/robotics/adroit/rules.h"
#include "engine/envs/mujoco/robotics/adroit/scene.h"

namespace engine::mujoco::robotics::adroit {

class Hand {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema OptionsOf(const Description& task, bool is_sparse);

  static ParamSchema ResetOptions();
  struct Start {
    explicit Start(const ParamValues& options);

    std::optional<NumberTable> state;  // from which the episode begins, as the user gave it
  };

  struct Constants {
    bool is_sparse;
    int frame_skip;  // physics steps per step
  };

  // Its model serves for names and pictures; that of an environment is in its Scene.
  struct Config : Basics {
    explicit Config(const ParamValues& options);

    ParamValues options;
    Description task;
    std::unique_ptr<const Rules> rules;
    Constants constants;
    // Of the ranges of the controls.
    std::vector<double> centers, halves;
  };

  // Does not need the model.
  static EnvSpec Spec(const ParamValues& options);

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return Describe(kAttributes, config.constants);
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    constants_.Set(kAttributes[index], value);
  }

  explicit Hand(const Config& config);

  // Throws Error{kOption} if the state of `start` is not one of the task.
  void Reset(const Start& start, Rng& rng);
  StepResult Step(ActionView action, Rng&) { return Act(action.Data<float>()); }
  StepResult StepFloat64(ActionView action, Rng&) { return Act(action.Data<double>()); }
  void Observe(ObsRow row) const;
  void Info(InfoRow row, bool after_reset) const {
    if (!after_reset) row.Set(0, is_success_);
  }
  void Render(std::span<std::uint8_t> rgb) const {
    scene_.simulation().Render(config_.renderer, rgb);
  }
  void EnableRender() { config_.renderer.Open(); }

  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const;
  void Load(StateReader& state);

 private:
  template <std::floating_point T>
  StepResult Act(const T* action);
  // Sets positions, velocities and places.
  void Begin(const NumberTable& state);

  static const std::array<Attribute<Constants>, 2> kAttributes;

  const Config& config_;
  SharedAttributes<Constants> constants_;
  Scene scene_;
  std::vector<double> controls_;
  bool is_success_ = false;
};

}  // namespace engine::mujoco::robotics::adroit

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_ADROIT_HAND_H_
