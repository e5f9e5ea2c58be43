// From an action to what the console's ports read: joysticks, paddles and the
// switches on the console. Pure functions of their arguments: any thread.
#ifndef ENGINE_ENVS_ATARI_CONTROLS_H_
#define ENGINE_ENVS_ATARI_CONTROLS_H_

#include <cstdint>

#include "engine/envs/atari/actions.h"
#include "engine/envs/atari/console/console_state.h"
#include "engine/envs/atari/hardware.h"

namespace engine::atari {

// Where the two players' paddles stand, in ohms; more is further left.
struct Paddles {
  static constexpr int kLeast = 27'450;
  static constexpr int kStep = 23'000;  // of a full-strength action, per frame

  int position[2] = {0, 0};
};

// The switches on the console.
struct Switches {
  bool select = false;
  bool reset = false;
  int difficulty = 0;  // bit 0: the left player's is A; bit 1: the right player's
};

bool UsesPaddles(const Hardware& hardware);
Paddles CenteredPaddles(const Hardware& hardware);
// Player 0 moves the paddle: `strength` times a step, as far as it goes.
void TurnPaddle(const Hardware& hardware, Action action, float strength, Paddles& paddles);

// What the ports read while player 0 takes the action and nobody plays with the other controller.
ConsoleInputs InputsFor(const Hardware& hardware, Action action, const Switches& switches,
                        const Paddles& paddles);
// The same before anybody has touched anything.
ConsoleInputs PowerOnInputs(const Hardware& hardware);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONTROLS_H_
