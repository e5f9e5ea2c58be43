// The ids, limits and thresholds of the classic-control family: those of Gymnasium 1.4.0, and
// EnvPool's Pendulum-v0. Called once when the engine's module is loaded.
#include "engine/envs/classic_control/acrobot.h"
#include "engine/envs/classic_control/cartpole.h"
#include "engine/envs/classic_control/mountain_car.h"
#include "engine/envs/classic_control/mountain_car_continuous.h"
#include "engine/envs/classic_control/pendulum.h"
#include "engine/tasks/registry.h"

namespace engine {

void RegisterClassicControl(Registry& registry) {
  using classic_control::Acrobot;
  using classic_control::CartPole;
  using classic_control::MountainCar;
  using classic_control::MountainCarContinuous;
  using classic_control::Pendulum;
  registry.Add<CartPole>("CartPole-v0", {.max_episode_steps = 200, .reward_threshold = 195.0});
  registry.Add<CartPole>("CartPole-v1", {.max_episode_steps = 500, .reward_threshold = 475.0});
  registry.Add<MountainCar>("MountainCar-v0",
                            {.max_episode_steps = 200, .reward_threshold = -110.0});
  registry.Add<MountainCarContinuous>("MountainCarContinuous-v0",
                                      {.max_episode_steps = 999, .reward_threshold = 90.0});
  registry.Add<Pendulum>("Pendulum-v0", {.max_episode_steps = 200}, Pendulum::OptionsOf(0));
  registry.Add<Pendulum>("Pendulum-v1", {.max_episode_steps = 200});
  registry.Add<Acrobot>("Acrobot-v1", {.max_episode_steps = 500, .reward_threshold = -100.0});
}

}  // namespace engine
