// The tasks of the Procgen family: an id for each game and each of its modes, as in EnvPool. There
// is no step limit: the library has its own, and does not say when it applies.
#include "engine/envs/procgen/register.h"

#include "engine/envs/procgen/games.h"
#include "engine/envs/procgen/procgen_env.h"

namespace engine::procgen {
namespace {

ParamSchema Options(const char* game, const char* mode) {
  return ProcgenEnv::OptionsOf(FindGame(game), mode);
}

}  // namespace

void RegisterProcgen(Registry& registry) {
  registry.Add<ProcgenEnv>("BigfishEasy-v0", {}, Options("bigfish", "easy"));
  registry.Add<ProcgenEnv>("BigfishHard-v0", {}, Options("bigfish", "hard"));
  registry.Add<ProcgenEnv>("BossfightEasy-v0", {}, Options("bossfight", "easy"));
  registry.Add<ProcgenEnv>("BossfightHard-v0", {}, Options("bossfight", "hard"));
  registry.Add<ProcgenEnv>("CaveflyerEasy-v0", {}, Options("caveflyer", "easy"));
  registry.Add<ProcgenEnv>("CaveflyerHard-v0", {}, Options("caveflyer", "hard"));
  registry.Add<ProcgenEnv>("CaveflyerMemory-v0", {}, Options("caveflyer", "memory"));
  registry.Add<ProcgenEnv>("CaveflyerExploration-v0", {}, Options("caveflyer", "exploration"));
  registry.Add<ProcgenEnv>("ChaserEasy-v0", {}, Options("chaser", "easy"));
  registry.Add<ProcgenEnv>("ChaserHard-v0", {}, Options("chaser", "hard"));
  registry.Add<ProcgenEnv>("ChaserExtreme-v0", {}, Options("chaser", "extreme"));
  registry.Add<ProcgenEnv>("ClimberEasy-v0", {}, Options("climber", "easy"));
  registry.Add<ProcgenEnv>("ClimberHard-v0", {}, Options("climber", "hard"));
  registry.Add<ProcgenEnv>("ClimberExploration-v0", {}, Options("climber", "exploration"));
  registry.Add<ProcgenEnv>("CoinrunEasy-v0", {}, Options("coinrun", "easy"));
  registry.Add<ProcgenEnv>("CoinrunHard-v0", {}, Options("coinrun", "hard"));
  registry.Add<ProcgenEnv>("CoinrunExploration-v0", {}, Options("coinrun", "exploration"));
  registry.Add<ProcgenEnv>("DodgeballEasy-v0", {}, Options("dodgeball", "easy"));
  registry.Add<ProcgenEnv>("DodgeballHard-v0", {}, Options("dodgeball", "hard"));
  registry.Add<ProcgenEnv>("DodgeballExtreme-v0", {}, Options("dodgeball", "extreme"));
  registry.Add<ProcgenEnv>("DodgeballMemory-v0", {}, Options("dodgeball", "memory"));
  registry.Add<ProcgenEnv>("FruitbotEasy-v0", {}, Options("fruitbot", "easy"));
  registry.Add<ProcgenEnv>("FruitbotHard-v0", {}, Options("fruitbot", "hard"));
  registry.Add<ProcgenEnv>("HeistEasy-v0", {}, Options("heist", "easy"));
  registry.Add<ProcgenEnv>("HeistHard-v0", {}, Options("heist", "hard"));
  registry.Add<ProcgenEnv>("HeistMemory-v0", {}, Options("heist", "memory"));
  registry.Add<ProcgenEnv>("HeistExploration-v0", {}, Options("heist", "exploration"));
  registry.Add<ProcgenEnv>("JumperEasy-v0", {}, Options("jumper", "easy"));
  registry.Add<ProcgenEnv>("JumperHard-v0", {}, Options("jumper", "hard"));
  registry.Add<ProcgenEnv>("JumperMemory-v0", {}, Options("jumper", "memory"));
  registry.Add<ProcgenEnv>("JumperExploration-v0", {}, Options("jumper", "exploration"));
  registry.Add<ProcgenEnv>("LeaperEasy-v0", {}, Options("leaper", "easy"));
  registry.Add<ProcgenEnv>("LeaperHard-v0", {}, Options("leaper", "hard"));
  registry.Add<ProcgenEnv>("LeaperExtreme-v0", {}, Options("leaper", "extreme"));
  registry.Add<ProcgenEnv>("LeaperExploration-v0", {}, Options("leaper", "exploration"));
  registry.Add<ProcgenEnv>("MazeEasy-v0", {}, Options("maze", "easy"));
  registry.Add<ProcgenEnv>("MazeHard-v0", {}, Options("maze", "hard"));
  registry.Add<ProcgenEnv>("MazeMemory-v0", {}, Options("maze", "memory"));
  registry.Add<ProcgenEnv>("MazeExploration-v0", {}, Options("maze", "exploration"));
  registry.Add<ProcgenEnv>("MinerEasy-v0", {}, Options("miner", "easy"));
  registry.Add<ProcgenEnv>("MinerHard-v0", {}, Options("miner", "hard"));
  registry.Add<ProcgenEnv>("MinerMemory-v0", {}, Options("miner", "memory"));
  registry.Add<ProcgenEnv>("NinjaEasy-v0", {}, Options("ninja", "easy"));
  registry.Add<ProcgenEnv>("NinjaHard-v0", {}, Options("ninja", "hard"));
  registry.Add<ProcgenEnv>("NinjaExploration-v0", {}, Options("ninja", "exploration"));
  registry.Add<ProcgenEnv>("PlunderEasy-v0", {}, Options("plunder", "easy"));
  registry.Add<ProcgenEnv>("PlunderHard-v0", {}, Options("plunder", "hard"));
  registry.Add<ProcgenEnv>("StarpilotEasy-v0", {}, Options("starpilot", "easy"));
  registry.Add<ProcgenEnv>("StarpilotHard-v0", {}, Options("starpilot", "hard"));
  registry.Add<ProcgenEnv>("StarpilotExtreme-v0", {}, Options("starpilot", "extreme"));
}

}  // namespace engine::procgen
