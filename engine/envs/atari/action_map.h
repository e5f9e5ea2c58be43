// Maps an agent's actions to joystick positions, as in ale-py. A discrete action is an index into a
// list of positions. A continuous action is a stick's deflection in polar coordinates. Built once
// for a pool and immutable: any thread.
#ifndef ENGINE_ENVS_ATARI_ACTION_MAP_H_
#define ENGINE_ENVS_ATARI_ACTION_MAP_H_

#include <span>
#include <vector>

#include "engine/env/rows.h"
#include "engine/env/spec.h"
#include "engine/envs/atari/actions.h"
#include "engine/envs/atari/games/game.h"

namespace engine::atari {

// An action, and how far a paddle turns with it, in [0, 1].
struct Move {
  Action action = Action::kNoop;
  float strength = 1.0f;
};

class ActionMap {
 public:
  // `full`: all positions that the game accepts, not only those with an effect. `continuous`:
  // float32 (radius in [0, 1], angle in [-pi, pi], fire in [0, 1]). Above `threshold` the stick
  // counts as deflected, and fire as pressed; a position that the game does not accept counts as no
  // action.
  ActionMap(const Game& game, bool full, bool continuous, float threshold);

  SpaceSpec space() const;
  // Requires an action of space().
  Move Of(ActionView action) const;
  // The positions that the agent can choose. Any other stick position has no effect.
  std::span<const Action> actions() const { return actions_; }

 private:
  Move OfStick(float radius, float angle, float fire) const;

  std::vector<Action> actions_;
  bool continuous_;
  float threshold_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_ACTION_MAP_H_
