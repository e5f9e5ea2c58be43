// The ids, limits and thresholds of the MuJoCo family: those of Gymnasium 1.4.0. Pusher-v4 is
// missing, because it does not run on MuJoCo 3.
#include "engine/envs/mujoco/register.h"

#include <memory>
#include <utility>

#include "engine/envs/mujoco/ant.h"
#include "engine/envs/mujoco/any_task.h"
#include "engine/envs/mujoco/frames.h"
#include "engine/envs/mujoco/half_cheetah.h"
#include "engine/envs/mujoco/hopper.h"
#include "engine/envs/mujoco/humanoid.h"
#include "engine/envs/mujoco/humanoid_standup.h"
#include "engine/envs/mujoco/inverted_double_pendulum.h"
#include "engine/envs/mujoco/inverted_pendulum.h"
#include "engine/envs/mujoco/model_changes.h"
#include "engine/envs/mujoco/pusher.h"
#include "engine/envs/mujoco/reacher.h"
#include "engine/envs/mujoco/swimmer.h"
#include "engine/envs/mujoco/walker2d.h"
#include "engine/group/env_group.h"

namespace engine::mujoco {
namespace {

// Adds tasks, each with the options that all tasks have.
class Tasks {
 public:
  explicit Tasks(Registry& registry) : registry_(registry) {}

  template <Environment E>
  void Add(const char* id, Registry::Limits limits) {
    TaskEntry entry;
    entry.id = id;
    entry.max_episode_steps = limits.max_episode_steps;
    entry.reward_threshold = limits.reward_threshold;
    entry.options = WithFrames(WithRendering(WithModelChanges(E::Options())));
    entry.reset_options = E::ResetOptions();
    entry.spec = [](const ParamValues& options) {
      return SpecWithFrames(E::Spec(options), options);
    };
    entry.make_group = &MakeGroup<E>;
    registry_.Add(std::move(entry));
  }

 private:
  template <Environment E>
  static std::unique_ptr<EnvGroup> MakeGroup(const ParamValues& options,
                                             const GroupConfig& config) {
    // The spec needs the model, too, which the factory keeps in use (see base_model.h).
    auto tasks = std::make_unique<AnyTaskFactoryOf<E>>(options);
    return MakeTaskGroup(E::Spec(options), std::move(tasks), FrameOptions(options), config);
  }

  Registry& registry_;
};

}  // namespace

void RegisterMujoco(Registry& registry) {
  Tasks tasks(registry);
  tasks.Add<ReacherV4>("Reacher-v4", {.max_episode_steps = 50, .reward_threshold = -3.75});
  tasks.Add<ReacherV5>("Reacher-v5", {.max_episode_steps = 50, .reward_threshold = -3.75});
  tasks.Add<Pusher>("Pusher-v5", {.max_episode_steps = 100, .reward_threshold = 0.0});
  tasks.Add<InvertedPendulumV4>("InvertedPendulum-v4",
                                {.max_episode_steps = 1000, .reward_threshold = 950.0});
  tasks.Add<InvertedPendulumV5>("InvertedPendulum-v5",
                                {.max_episode_steps = 1000, .reward_threshold = 950.0});
  tasks.Add<InvertedDoublePendulumV4>("InvertedDoublePendulum-v4",
                                      {.max_episode_steps = 1000, .reward_threshold = 9100.0});
  tasks.Add<InvertedDoublePendulumV5>("InvertedDoublePendulum-v5",
                                      {.max_episode_steps = 1000, .reward_threshold = 9100.0});
  tasks.Add<HalfCheetahV4>("HalfCheetah-v4",
                           {.max_episode_steps = 1000, .reward_threshold = 4800.0});
  tasks.Add<HalfCheetahV5>("HalfCheetah-v5",
                           {.max_episode_steps = 1000, .reward_threshold = 4800.0});
  tasks.Add<HopperV4>("Hopper-v4", {.max_episode_steps = 1000, .reward_threshold = 3800.0});
  tasks.Add<HopperV5>("Hopper-v5", {.max_episode_steps = 1000, .reward_threshold = 3800.0});
  tasks.Add<SwimmerV4>("Swimmer-v4", {.max_episode_steps = 1000, .reward_threshold = 360.0});
  tasks.Add<SwimmerV5>("Swimmer-v5", {.max_episode_steps = 1000, .reward_threshold = 360.0});
  tasks.Add<Walker2dV4>("Walker2d-v4", {.max_episode_steps = 1000});
  tasks.Add<Walker2dV5>("Walker2d-v5", {.max_episode_steps = 1000});
  tasks.Add<AntV4>("Ant-v4", {.max_episode_steps = 1000, .reward_threshold = 6000.0});
  tasks.Add<AntV5>("Ant-v5", {.max_episode_steps = 1000, .reward_threshold = 6000.0});
  tasks.Add<HumanoidV4>("Humanoid-v4", {.max_episode_steps = 1000});
  tasks.Add<HumanoidV5>("Humanoid-v5", {.max_episode_steps = 1000});
  tasks.Add<HumanoidStandupV4>("HumanoidStandup-v4", {.max_episode_steps = 1000});
  tasks.Add<HumanoidStandupV5>("HumanoidStandup-v5", {.max_episode_steps = 1000});
}

}  // namespace engine::mujoco
