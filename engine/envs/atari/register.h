// The tasks of the Atari family. Called once, by the extension module.
#ifndef ENGINE_ENVS_ATARI_REGISTER_H_
#define ENGINE_ENVS_ATARI_REGISTER_H_

#include <string>

#include "engine/envs/atari/games/game.h"
#include "engine/tasks/registry.h"

namespace engine::atari {

// Throws Error{kInternal} if the tasks are registered already.
void RegisterAtari(Registry& registry);

// Returns the game's name in a task's id: "SpaceInvaders" for "space_invaders".
std::string TaskName(const Game& game);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_REGISTER_H_
