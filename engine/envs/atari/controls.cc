// See the header.
#include "engine/envs/atari/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine::atari {
namespace {

enum Pressed : std::uint8_t { kUp = 1, kDown = 2, kLeft = 4, kRight = 8, kFire = 16 };

constexpr std::array<std::uint8_t, kNumActions> kPressed{
    0,
    kFire,
    kUp,
    kRight,
    kLeft,
    kDown,
    kUp | kRight,
    kUp | kLeft,
    kDown | kRight,
    kDown | kLeft,
    kUp | kFire,
    kRight | kFire,
    kLeft | kFire,
    kDown | kFire,
    kUp | kRight | kFire,
    kUp | kLeft | kFire,
    kDown | kRight | kFire,
    kDown | kLeft | kFire,
};

std::uint8_t PressedBy(Action action) { return kPressed[static_cast<std::size_t>(action)]; }

// Returns the cycles until the capacitor behind a paddle is charged, given its resistance in ohms.
std::int32_t ChargeCycles(int ohms) {
  if (ohms == 0) return atari2600::TiaInputs::kAlways;
  constexpr double kCapacitance = 0.01E-6;  // F
  constexpr double kClock = 1.19E6;         // Hz
  const double seconds = 1.6 * ohms * kCapacitance;
  return static_cast<std::int32_t>(seconds * kClock);
}

std::uint8_t SwitchBits(bool select, bool reset, bool left_a, bool right_a) {
  unsigned bits = 0x3F;
  if (select) bits &= ~0x02u;
  if (reset) bits &= ~0x01u;
  if (left_a) bits |= 0x40;
  if (right_a) bits |= 0x80;
  return static_cast<std::uint8_t>(bits);
}

}  // namespace

bool UsesPaddles(const Hardware& hardware) {
  return hardware.left == Controller::kPaddles || hardware.right == Controller::kPaddles;
}

Paddles CenteredPaddles(const Hardware& hardware) {
  const int center = (Paddles::kMin + hardware.paddle_max) / 2;
  return {{center, center}};
}

void TurnPaddle(const Hardware& hardware, Action action, float strength, Paddles& paddles) {
  const std::uint8_t pressed = PressedBy(action);
  int step = 0;
  if ((pressed & (kLeft | kRight)) != 0) {
    step = static_cast<int>(Paddles::kStep * std::fabs(static_cast<double>(strength)));
    if ((pressed & kRight) != 0) step = -step;
  }
  for (int& position : paddles.position) {
    position = std::clamp(&position == paddles.position ? position + step : position, Paddles::kMin,
                          hardware.paddle_max);
  }
}

atari2600::ConsoleInputs InputsFor(const Hardware& hardware, Action action,
                                   const Switches& switches, const Paddles& paddles) {
  atari2600::ConsoleInputs inputs;
  inputs.riot.switches = SwitchBits(switches.select, switches.reset, (switches.difficulty & 1) != 0,
                                    (switches.difficulty & 2) != 0);
  const std::uint8_t pressed = PressedBy(action);
  const int port = hardware.swap_ports ? 1 : 0;
  if (hardware.left == Controller::kJoystick) {
    // The left port is the high half of port A.
    const int directions = pressed & (kUp | kDown | kLeft | kRight);
    inputs.riot.port_a = static_cast<std::uint8_t>(~(port == 0 ? directions << 4 : directions));
    inputs.tia.button_up[port] = (pressed & kFire) == 0;
  } else {
    // The player has paddle 0 of the port, or paddle 1 if the paddles are swapped. The buttons of
    // paddles 0 and 1 are the port's right and left directions.
    const int mine = hardware.swap_paddles ? 1 : 0;
    if ((pressed & kFire) != 0) inputs.riot.port_a = mine == 0 ? 0x7F : 0xBF;
    inputs.tia.charge_cycles[mine] = ChargeCycles(paddles.position[0]);
    inputs.tia.charge_cycles[1 - mine] = ChargeCycles(paddles.position[1]);
  }
  if (hardware.right == Controller::kPaddles) {
    inputs.tia.charge_cycles[2] = inputs.tia.charge_cycles[3] = ChargeCycles(0);
  }
  return inputs;
}

atari2600::ConsoleInputs PowerOnInputs(const Hardware& hardware) {
  atari2600::ConsoleInputs inputs = InputsFor(hardware, Action::kNoop, {}, {});
  inputs.riot.switches =
      SwitchBits(false, false, hardware.left_difficulty_a, hardware.right_difficulty_a);
  return inputs;
}

}  // namespace engine::atari
