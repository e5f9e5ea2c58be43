// The ids of the suite, which are EnvPool's, and their limits, which are those of dm_control
// 1.0.50. Every task has 1,000 steps, except LQR, which has no limit.
#include "engine/envs/mujoco/dm_control/register.h"

#include <memory>
#include <utility>

#include "engine/envs/mujoco/dm_control/acrobot.h"
#include "engine/envs/mujoco/dm_control/ball_in_cup.h"
#include "engine/envs/mujoco/dm_control/cartpole.h"
#include "engine/envs/mujoco/dm_control/cheetah.h"
#include "engine/envs/mujoco/dm_control/dog.h"
#include "engine/envs/mujoco/dm_control/environment.h"
#include "engine/envs/mujoco/dm_control/finger.h"
#include "engine/envs/mujoco/dm_control/fish.h"
#include "engine/envs/mujoco/dm_control/frames.h"
#include "engine/envs/mujoco/dm_control/hopper.h"
#include "engine/envs/mujoco/dm_control/humanoid.h"
#include "engine/envs/mujoco/dm_control/lqr.h"
#include "engine/envs/mujoco/dm_control/manipulator.h"
#include "engine/envs/mujoco/dm_control/options.h"
#include "engine/envs/mujoco/dm_control/pendulum.h"
#include "engine/envs/mujoco/dm_control/point_mass.h"
#include "engine/envs/mujoco/dm_control/quadruped.h"
#include "engine/envs/mujoco/dm_control/reacher.h"
#include "engine/envs/mujoco/dm_control/stacker.h"
#include "engine/envs/mujoco/dm_control/swimmer.h"
#include "engine/envs/mujoco/dm_control/walker.h"
#include "engine/group/env_group.h"

namespace engine::mujoco::suite {
namespace {

constexpr std::int64_t kSteps = 1000;

// Adds tasks, each with the options that all tasks have.
class Tasks {
 public:
  explicit Tasks(Registry& registry) : registry_(registry) {}

  template <class E>
  void Add(const char* id, const char* task) {
    Add<E>(id, task, E::Options(), kSteps);
  }
  // `steps`: the limit of an episode; 0: no limit.
  template <class E>
  void Add(const char* id, const char* task, ParamSchema own, std::int64_t steps) {
    own.insert(own.begin(), TaskName(task));
    const ParamValues defaults(own, {}, "option", id);
    TaskEntry entry;
    entry.id = id;
    entry.max_episode_steps = steps;
    entry.options = WithSuiteOptions(std::move(own), E::Describe(defaults).steps);
    entry.spec = [](const ParamValues& options) { return SpecOf(E::Describe(options), options); };
    entry.make_group = &MakeGroup<E>;
    registry_.Add(std::move(entry));
  }

 private:
  template <class E>
  static std::unique_ptr<EnvGroup> MakeGroup(const ParamValues& options,
                                             const GroupConfig& config) {
    return MakeSuiteGroup(MakeSetup<E>(options), SpecOf(E::Describe(options), options),
                          FrameOptions(options), config);
  }

  Registry& registry_;
};

void AddSmallTasks(Tasks& tasks) {
  tasks.Add<Acrobot>("AcrobotSwingup-v1", "swingup");
  tasks.Add<Acrobot>("AcrobotSwingupSparse-v1", "swingup_sparse");
  tasks.Add<BallInCup>("BallInCupCatch-v1", "catch");
  const auto add_cartpole = [&](const char* id, const char* task, std::int64_t poles, bool sparse) {
    tasks.Add<Cartpole>(id, task, Cartpole::Options(poles, sparse, poles != 3), kSteps);
  };
  add_cartpole("CartpoleBalance-v1", "balance", 1, false);
  add_cartpole("CartpoleBalanceSparse-v1", "balance", 1, true);
  add_cartpole("CartpoleSwingup-v1", "swingup", 1, false);
  add_cartpole("CartpoleSwingupSparse-v1", "swingup", 1, true);
  add_cartpole("CartpoleTwoPoles-v1", "two_poles", 2, false);
  add_cartpole("CartpoleThreePoles-v1", "three_poles", 3, false);
  tasks.Add<Finger>("FingerSpin-v1", "spin");
  tasks.Add<Finger>("FingerTurnEasy-v1", "turn_easy");
  tasks.Add<Finger>("FingerTurnHard-v1", "turn_hard");
  constexpr std::int64_t kEndless = 0;
  tasks.Add<Lqr>("LqrLqr21-v1", "lqr_2_1", Lqr::Options(), kEndless);
  tasks.Add<Lqr>("LqrLqr62-v1", "lqr_6_2", Lqr::Options(), kEndless);
  tasks.Add<Pendulum>("PendulumSwingup-v1", "swingup");
  tasks.Add<PointMass>("PointMassEasy-v1", "easy");
  tasks.Add<PointMass>("PointMassHard-v1", "hard");
  tasks.Add<Reacher>("ReacherEasy-v1", "easy");
  tasks.Add<Reacher>("ReacherHard-v1", "hard");
}

void AddBodies(Tasks& tasks) {
  tasks.Add<Cheetah>("CheetahRun-v1", "run");
  tasks.Add<Dog>("DogFetch-v1", "fetch");
  tasks.Add<Dog>("DogRun-v1", "run");
  tasks.Add<Dog>("DogStand-v1", "stand");
  tasks.Add<Dog>("DogTrot-v1", "trot");
  tasks.Add<Dog>("DogWalk-v1", "walk");
  tasks.Add<Fish>("FishSwim-v1", "swim");
  tasks.Add<Fish>("FishUpright-v1", "upright");
  tasks.Add<Hopper>("HopperHop-v1", "hop");
  tasks.Add<Hopper>("HopperStand-v1", "stand");
  tasks.Add<Humanoid>("HumanoidRun-v1", "run");
  tasks.Add<Humanoid>("HumanoidRunPureState-v1", "run_pure_state");
  tasks.Add<Humanoid>("HumanoidStand-v1", "stand");
  tasks.Add<Humanoid>("HumanoidWalk-v1", "walk");
  tasks.Add<HumanoidCmu>("HumanoidCMURun-v1", "run");
  tasks.Add<HumanoidCmu>("HumanoidCMUStand-v1", "stand");
  tasks.Add<HumanoidCmu>("HumanoidCMUWalk-v1", "walk");
  tasks.Add<QuadrupedEscape>("QuadrupedEscape-v1", "escape");
  tasks.Add<QuadrupedFetch>("QuadrupedFetch-v1", "fetch");
  tasks.Add<QuadrupedMove>("QuadrupedRun-v1", "run");
  tasks.Add<QuadrupedMove>("QuadrupedWalk-v1", "walk");
  const auto add_swimmer = [&](const char* id, const char* task, std::int64_t links) {
    tasks.Add<Swimmer>(id, task, Swimmer::Options(links, true), kSteps);
  };
  add_swimmer("SwimmerSwimmer15-v1", "swimmer15", 15);
  add_swimmer("SwimmerSwimmer6-v1", "swimmer6", 6);
  tasks.Add<Walker>("WalkerRun-v1", "run");
  tasks.Add<Walker>("WalkerStand-v1", "stand");
  tasks.Add<Walker>("WalkerWalk-v1", "walk");
}

void AddArms(Tasks& tasks) {
  tasks.Add<Manipulator>("ManipulatorBringBall-v1", "bring_ball");
  tasks.Add<Manipulator>("ManipulatorBringPeg-v1", "bring_peg");
  tasks.Add<Manipulator>("ManipulatorInsertBall-v1", "insert_ball");
  tasks.Add<Manipulator>("ManipulatorInsertPeg-v1", "insert_peg");
  tasks.Add<Stacker>("StackerStack2-v1", "stack_2");
  tasks.Add<Stacker>("StackerStack4-v1", "stack_4");
}

}  // namespace

void RegisterSuite(Registry& registry) {
  Tasks tasks(registry);
  AddSmallTasks(tasks);
  AddBodies(tasks);
  AddArms(tasks);
}

}  // namespace engine::mujoco::suite
