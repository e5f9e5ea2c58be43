// The options by which a task chooses its game's variant and its set of
// actions, as all kinds of Atari tasks have them. Pure functions: any thread.
#ifndef ENGINE_ENVS_ATARI_VARIANT_OPTIONS_H_
#define ENGINE_ENVS_ATARI_VARIANT_OPTIONS_H_

#include <vector>

#include "engine/env/params.h"
#include "engine/envs/atari/actions.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/games/game.h"

namespace engine::atari {

// A game's mode and difficulty; kOwn: those that it begins with.
struct Variant {
  static constexpr int kOwn = -1;

  int mode = kOwn;
  int difficulty = kOwn;

  // For a runner that has just been made; they hold from its next reset on.
  void Select(GameRunner& runner) const;
};

// The options "mode" and "difficulty".
ParamSpec ModeOption();
ParamSpec DifficultyOption();
// Throws Error{kOption}, naming those that the game has, for any other one.
Variant ReadVariant(const Game& game, const ParamValues& options);

// In the order in which a discrete action space counts them: all that the game takes, or those of
// them that do something in it.
std::vector<Action> ActionsOf(const Game& game, bool full_action_space);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_VARIANT_OPTIONS_H_
