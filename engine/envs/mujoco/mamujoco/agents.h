// Several agents that move one robot together. The scenarios are Gymnasium-Robotics 1.4.2's
// MaMuJoCo (mamujoco_v1), on the tasks of Gymnasium 1.4.0. MuJoCo computes the dynamics, the other
// arithmetic is the references', and trajectories are bit-equal to them. Each instance runs on one
// thread at a time.
#ifndef ENGINE_ENVS_MUJOCO_MAMUJOCO_AGENTS_H_
#define ENGINE_ENVS_MUJOCO_MAMUJOCO_AGENTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/mujoco/any_task.h"
#include "engine/envs/mujoco/mamujoco/observation.h"
#include "engine/envs/mujoco/mamujoco/robot.h"

namespace engine::mujoco::mamujoco {

// The task of the whole robot.
struct WholeTask {
  EnvSpec spec;
  std::unique_ptr<const AnyTaskFactory> tasks;
};

// Returns the options of agents. The first division is the default.
ParamSchema AgentOptions(const std::vector<Division>& divisions);
// Returns the same for a robot of segments, whose divisions are those of all numbers of agents and
// of segments of an agent.
ParamSchema SegmentAgentOptions(const char* default_division);
inline constexpr const char* kDivision = "agent_conf";

// The players of the engine are the agents, and the spaces of the spec are the largest. The rest of
// a smaller observation is zero, and the rest of a larger action is not used.
class Agents {
 public:
  static constexpr bool kNeverWaits = true;
  static constexpr bool kKeepsFloat64 = true;

  static ParamSchema ResetOptions() { return Task::ResetOptions(); }
  using Start = Task::Start;

  struct Agent {
    std::vector<std::size_t> controls;  // those of its actions, in their order
    std::vector<Term> observation;
  };

  struct Config {
    // One agent that observes what the task observes.
    explicit Config(WholeTask of);
    // `options` are those of AgentOptions. Throws Error{kOption} if they, the robot and the model
    // do not fit together.
    Config(WholeTask of, const Robot& robot, const std::vector<Division>& divisions,
           const ParamValues& options);

    EnvSpec Spec() const;

    WholeTask whole;
    std::size_t num_controls;
    std::vector<Agent> agents;  // empty: one agent that observes what the task observes
    std::size_t row_size;       // of observations
    // Whether agents observe the forces on bodies, which the task may not compute.
    bool observes_forces = false;

   private:
    void Divide(const std::vector<std::string>& names, const Robot& robot,
                const Categories& categories);
  };

  explicit Agents(const Config& config)
      : config_(config), task_(config.whole.tasks->Make()), joint_(config.num_controls) {}

  void Reset(const Start& start, Rng& rng) { task_->Reset(start, rng); }
  StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng);
  void Observe(std::size_t agent, ObsRow row) const;
  // The infos of the task, and then what it observes.
  void Info(InfoRow row, bool after_reset) const;
  void Render(std::span<std::uint8_t> rgb) const { task_->Render(rgb); }
  void EnableRender() { task_->EnableRender(); }

  static std::vector<AttributeSpec> Attributes(const Config& config) {
    return config.whole.tasks->Attributes();
  }
  void SetAttribute(std::size_t index, std::span<const double> value) {
    task_->SetAttribute(index, value);
  }
  static constexpr std::uint32_t kStateVersion = 1;
  void Save(StateWriter& state) const { task_->Save(state); }
  void Load(StateReader& state) { task_->Load(state); }

 private:
  StepResult StepWhole(PlayerActions actions, Rng& rng);
  StepResult StepJointly(PlayerActions actions, Rng& rng);

  const Config& config_;
  std::unique_ptr<AnyTask> task_;
  std::vector<double> joint_;  // the action of the whole robot
};

}  // namespace engine::mujoco::mamujoco

#endif  // ENGINE_ENVS_MUJOCO_MAMUJOCO_AGENTS_H_
