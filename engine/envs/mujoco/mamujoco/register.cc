// The ids and limits of MaMuJoCo's scenarios. CoupledHalfCheetah is missing, because the reference
// cannot observe its tendon since MuJoCo 3.6.
#include "engine/envs/mujoco/mamujoco/register.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/envs/mujoco/ant.h"
#include "engine/envs/mujoco/any_task.h"
#include "engine/envs/mujoco/half_cheetah.h"
#include "engine/envs/mujoco/hopper.h"
#include "engine/envs/mujoco/humanoid.h"
#include "engine/envs/mujoco/humanoid_standup.h"
#include "engine/envs/mujoco/inverted_double_pendulum.h"
#include "engine/envs/mujoco/inverted_pendulum.h"
#include "engine/envs/mujoco/mamujoco/agents.h"
#include "engine/envs/mujoco/mamujoco/robots.h"
#include "engine/envs/mujoco/mamujoco/segments.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/pusher.h"
#include "engine/envs/mujoco/reacher.h"
#include "engine/envs/mujoco/renderer.h"
#include "engine/envs/mujoco/swimmer.h"
#include "engine/envs/mujoco/walker2d.h"
#include "engine/group/env_group_of.h"

namespace engine::mujoco::mamujoco {
namespace {

using ConfigMaker = std::function<Agents::Config(const ParamValues& options)>;

void Add(Registry& registry, const std::string& name, std::int64_t max_episode_steps,
         ParamSchema options, ParamSchema of_agents, ConfigMaker make) {
  TaskEntry entry;
  entry.id = "MaMuJoCo/" + name + "-v1";
  entry.max_episode_steps = max_episode_steps;
  entry.options = WithRendering(WithModelChanges(std::move(options)));
  entry.options.insert(entry.options.begin(), of_agents.begin(), of_agents.end());
  entry.reset_options = Agents::ResetOptions();
  entry.spec = [make](const ParamValues& values) { return make(values).Spec(); };
  entry.make_group = [make = std::move(make)](
                         const ParamValues& values,
                         const GroupConfig& config) -> std::unique_ptr<EnvGroup> {
    Agents::Config agents = make(values);
    const EnvSpec spec = agents.Spec();
    return std::make_unique<EnvGroupOf<Agents>>(spec, config, std::move(agents));
  };
  registry.Add(std::move(entry));
}

template <Environment E>
WholeTask Whole(const ParamValues& options) {
  return {.spec = E::Spec(options), .tasks = std::make_unique<AnyTaskFactoryOf<E>>(options)};
}

// A scenario whose robot has these divisions.
template <Environment E>
void AddDivided(Registry& registry, const char* name, std::int64_t max_episode_steps,
                Robot (*robot)(const Model&), const std::vector<Division>& divisions) {
  Add(registry, name, max_episode_steps, E::Options(), AgentOptions(divisions),
      [robot, divisions](const ParamValues& options) {
        WholeTask whole = Whole<E>(options);
        const Robot divided = robot(whole.tasks->model());
        return Agents::Config(std::move(whole), divided, divisions, options);
      });
}

// A scenario with one agent.
template <Environment E>
void AddWhole(Registry& registry, const char* name, std::int64_t max_episode_steps) {
  Add(registry, name, max_episode_steps, E::Options(), {},
      [](const ParamValues& options) { return Agents::Config(Whole<E>(options)); });
}

// A scenario whose robot has any number of segments. `model` is its name in SegmentModel.
template <Environment E>
void AddSegmented(Registry& registry, const char* name, const char* model, int least_segments,
                  Robot (*robot)(int), const char* default_division) {
  ParamSchema options = E::Options();
  std::erase_if(options, [](const ParamSpec& option) { return option.name == "xml_file"; });
  Add(registry, name, 1000, std::move(options), SegmentAgentOptions(default_division),
      [robot, model, least_segments](const ParamValues& values) {
        const SegmentDivision division(values, least_segments);
        const BaseModelPtr base = SegmentModel(model, division.segments());
        const Robot divided = robot(division.segments());
        WholeTask whole = {.spec = E::Spec(typename E::Config(base, values)),
                           .tasks = std::make_unique<AnyTaskFactoryOf<E>>(base, values)};
        return Agents::Config(std::move(whole), divided, division.Divide(divided), values);
      });
}

}  // namespace

void RegisterMaMujoco(Registry& registry) {
  AddDivided<AntV5>(registry, "Ant", 1000, AntRobot, AntDivisions());
  AddDivided<HalfCheetahV5>(registry, "HalfCheetah", 1000, HalfCheetahRobot,
                            HalfCheetahDivisions());
  AddDivided<HopperV5>(registry, "Hopper", 1000, HopperRobot, HopperDivisions());
  AddDivided<HumanoidV5>(registry, "Humanoid", 1000, HumanoidRobot, HumanoidDivisions());
  AddDivided<HumanoidStandupV5>(registry, "HumanoidStandup", 1000, HumanoidRobot,
                                HumanoidDivisions());
  AddDivided<ReacherV5>(registry, "Reacher", 50, ReacherRobot, ReacherDivisions());
  AddDivided<SwimmerV5>(registry, "Swimmer", 1000, SwimmerRobot, SwimmerDivisions());
  AddDivided<Pusher>(registry, "Pusher", 100, PusherRobot, PusherDivisions());
  AddDivided<Walker2dV5>(registry, "Walker2d", 1000, Walker2dRobot, Walker2dDivisions());
  AddWhole<InvertedPendulumV5>(registry, "InvertedPendulum", 1000);
  AddWhole<InvertedDoublePendulumV5>(registry, "InvertedDoublePendulum", 1000);
  AddSegmented<AntV5>(registry, "ManySegmentAnt", "ant", 1, SegmentAntRobot, "2x3");
  AddSegmented<SwimmerV5>(registry, "ManySegmentSwimmer", "swimmer", 2, SegmentSwimmerRobot, "5x2");
}

}  // namespace engine::mujoco::mamujoco
