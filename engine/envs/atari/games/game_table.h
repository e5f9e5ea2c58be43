// All games by name. The list is generated from the files beside this one. Constant data, any
// thread.
#ifndef ENGINE_ENVS_ATARI_GAMES_GAME_TABLE_H_
#define ENGINE_ENVS_ATARI_GAMES_GAME_TABLE_H_

#include <span>
#include <string_view>

#include "engine/envs/atari/games/game.h"

namespace engine::atari {

// In the alphabetical order of their ids.
std::span<const Game* const> AllGames();

// Throws engine::Error, with the nearest names, if there is no such game.
const Game& FindGame(std::string_view id);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAMES_GAME_TABLE_H_
