// The 16 games, as data: what the ids, the options and the checks need to know of them.
#ifndef ENGINE_ENVS_PROCGEN_GAMES_H_
#define ENGINE_ENVS_PROCGEN_GAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace engine::procgen {

// A distribution of levels.
struct Mode {
  std::string_view name;  // of the option
  std::int32_t number;    // in the library
};

struct Game {
  std::string_view name;  // in the library
  bool has_extreme = false;
  bool has_memory = false;
  // The seed of the only level of the mode "exploration"; 0: the game lacks this mode.
  std::int32_t exploration_level = 0;

  // The modes of the game, "easy" and "hard" first.
  std::vector<Mode> Modes() const;
};

// Requires: a game of this name.
const Game& FindGame(std::string_view name);

}  // namespace engine::procgen

#endif  // ENGINE_ENVS_PROCGEN_GAMES_H_
