// The tasks of the Procgen family: an id for each game and each of its modes, as in EnvPool. There
// is no step limit: the library has its own, and does not say when it applies.
#include "engine/envs/procgen/register.h"

#include "engine/envs/procgen/games.h"
#include "engine/envs/procgen/procgen_env.h"

namespace engine::procgen {

void RegisterProcgen(Registry& registry) {
  for (const Game& game : AllGames()) {
    for (const Mode& mode : game.Modes())
      registry.Add<ProcgenEnv>(TaskId(game, mode), {}, ProcgenEnv::OptionsOf(game, mode));
  }
}

}  // namespace engine::procgen
