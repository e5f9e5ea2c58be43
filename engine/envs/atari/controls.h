// Converts an action to the inputs of the console's ports: joysticks, paddles and the switches on
// the console. Pure functions: any thread.
#ifndef ENGINE_ENVS_ATARI_CONTROLS_H_
#define ENGINE_ENVS_ATARI_CONTROLS_H_

#include <cstdint>

#include "engine/emulators/atari2600/console_state.h"
#include "engine/envs/atari/actions.h"
#include "engine/envs/atari/hardware.h"

namespace engine::atari {

// Positions of the two players' paddles, in ohms; larger is further left.
struct Paddles {
  static constexpr int kMin = 27'450;
  static constexpr int kStep = 23'000;  // per frame, at full strength

  int position[2] = {0, 0};
};

// The switches on the console.
struct Switches {
  bool select = false;
  bool reset = false;
  int difficulty = 0;  // bit 0: the left player's switch is at A; bit 1: the right player's is
};

bool UsesPaddles(const Hardware& hardware);
Paddles CenteredPaddles(const Hardware& hardware);
// Turns the paddle of player 0 by `strength` times a step, up to its limit.
void TurnPaddle(const Hardware& hardware, Action action, float strength, Paddles& paddles);

// Returns the inputs while player 0 takes the action and the other controller is not used.
atari2600::ConsoleInputs InputsFor(const Hardware& hardware, Action action,
                                   const Switches& switches, const Paddles& paddles);
// Returns the inputs before any controller is used.
atari2600::ConsoleInputs PowerOnInputs(const Hardware& hardware);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONTROLS_H_
