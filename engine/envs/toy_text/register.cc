// The ids, limits, thresholds and defaults of the toy_text family: those of Gymnasium 1.4.0, and
// those of EnvPool 1.2.5 for the environments that Gymnasium 1.4.0 lacks. (As in Gymnasium,
// CliffWalking-v0 equals -v1, and Taxi-v3 equals -v4.) Called once when the engine's module is
// loaded.
#include "engine/envs/toy_text/blackjack.h"
#include "engine/envs/toy_text/catch_ball.h"
#include "engine/envs/toy_text/cliff_walking.h"
#include "engine/envs/toy_text/frozen_lake.h"
#include "engine/envs/toy_text/nchain.h"
#include "engine/envs/toy_text/taxi.h"
#include "engine/tasks/registry.h"

namespace engine {

void RegisterToyText(Registry& registry) {
  using toy_text::Blackjack;
  using toy_text::Catch;
  using toy_text::CliffWalking;
  using toy_text::FrozenLake;
  using toy_text::NChain;
  using toy_text::Taxi;
  registry.Add<FrozenLake>("FrozenLake-v1", {.max_episode_steps = 100, .reward_threshold = 0.70});
  registry.Add<FrozenLake>("FrozenLake8x8-v1", {.max_episode_steps = 200, .reward_threshold = 0.85},
                           FrozenLake::OptionsOfMap("8x8"));
  registry.Add<CliffWalking>("CliffWalking-v0", {});
  registry.Add<CliffWalking>("CliffWalking-v1", {});
  registry.Add<CliffWalking>("CliffWalkingSlippery-v1", {}, CliffWalking::OptionsOf(true));
  registry.Add<Taxi>("Taxi-v3", {.max_episode_steps = 200, .reward_threshold = 8.0});
  registry.Add<Taxi>("Taxi-v4", {.max_episode_steps = 200, .reward_threshold = 8.0});
  registry.Add<Blackjack>("Blackjack-v1", {});
  registry.Add<Catch>("Catch-v0", {});
  // EnvPool 1.2.5 registers NChain as -v0.
  registry.Add<NChain>("NChain-v0", {.max_episode_steps = 1000});
  registry.Add<NChain>("NChain-v1", {.max_episode_steps = 1000});
}

}  // namespace engine
