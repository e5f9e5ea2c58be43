// The options that select a game's variant and its set of actions, for all kinds of Atari tasks.
// Pure functions: any thread.
#ifndef ENGINE_ENVS_ATARI_VARIANT_OPTIONS_H_
#define ENGINE_ENVS_ATARI_VARIANT_OPTIONS_H_

#include <vector>

#include "engine/env/params.h"
#include "engine/envs/atari/actions.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/games/game.h"

namespace engine::atari {

// A game's mode and difficulty; kOwn: the game's defaults.
struct Variant {
  static constexpr int kOwn = -1;

  int mode = kOwn;
  int difficulty = kOwn;

  // Sets the variant of a new runner. It applies from the runner's next reset on.
  void Select(GameRunner& runner) const;
};

// The options "mode" and "difficulty".
ParamSpec ModeOption();
ParamSpec DifficultyOption();
// Throws Error{kOption}, with the valid values, for a mode or difficulty that the game lacks.
Variant ReadVariant(const Game& game, const ParamValues& options);

// Returns the actions in the order of a discrete action space: all actions that the game accepts if
// `full_action_space`, otherwise only those with an effect.
std::vector<Action> ActionsOf(const Game& game, bool full_action_space);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_VARIANT_OPTIONS_H_
