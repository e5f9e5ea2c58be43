// The values of the ports for every action: joysticks, paddles, switches.
#include "engine/envs/atari/controls.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/engine/harness.h"

namespace engine::atari::testing {
namespace controls_test {

using atari2600::ConsoleInputs;
using atari2600::TiaInputs;

// The eighteen actions in ale-py's order: u(p), d(own), l(eft), r(ight), f(ire).
constexpr std::string_view kActions[kNumActions] = {"",   "f",  "u",   "r",   "l",   "d",
                                                    "ur", "ul", "dr",  "dl",  "uf",  "rf",
                                                    "lf", "df", "urf", "ulf", "drf", "dlf"};

Action At(int index) { return static_cast<Action>(index); }
bool Has(int action, char what) {
  return kActions[static_cast<std::size_t>(action)].find(what) != std::string_view::npos;
}

// The left joystick clears the high bits of port A: right 7, left 6, down 5, up 4.
int LeftJoystick(int action) {
  int port = 0xFF;
  if (Has(action, 'u')) port -= 0x10;
  if (Has(action, 'd')) port -= 0x20;
  if (Has(action, 'l')) port -= 0x40;
  if (Has(action, 'r')) port -= 0x80;
  return port;
}

void ExpectNoPaddles(const ConsoleInputs& inputs) {
  for (const std::int32_t needed : inputs.tia.charge_cycles) EXPECT_EQ(needed, TiaInputs::kNever);
}

TEST(Joystick, LeftPort) {
  for (int action = 0; action < kNumActions; ++action) {
    const ConsoleInputs inputs = InputsFor({}, At(action), {}, {});
    EXPECT_EQ(inputs.riot.port_a, LeftJoystick(action)) << action;
    EXPECT_EQ(inputs.tia.button_up[0], !Has(action, 'f')) << action;
    EXPECT_TRUE(inputs.tia.button_up[1]);
    ExpectNoPaddles(inputs);
  }
}

// With swapped ports, player 0 uses the right joystick: the low bits and the other button.
TEST(Joystick, SwappedPorts) {
  const Hardware hardware{.swap_ports = true};
  for (int action = 0; action < kNumActions; ++action) {
    const ConsoleInputs inputs = InputsFor(hardware, At(action), {}, {});
    EXPECT_EQ(inputs.riot.port_a, LeftJoystick(action) >> 4 | 0xF0) << action;
    EXPECT_TRUE(inputs.tia.button_up[0]);
    EXPECT_EQ(inputs.tia.button_up[1], !Has(action, 'f')) << action;
  }
}

constexpr Hardware kPaddles{.left = Controller::kPaddles, .right = Controller::kPaddles};

TEST(PaddleController, OnlyPaddlesAreOnes) {
  EXPECT_FALSE(UsesPaddles({}));
  EXPECT_TRUE(UsesPaddles(kPaddles));
  EXPECT_TRUE(UsesPaddles({.left = Controller::kPaddles}));
  EXPECT_TRUE(UsesPaddles({.right = Controller::kPaddles}));
}

// A paddle of R ohms charges 0.01 microfarad in 1.6 RC. The processor runs at 1.19 MHz.
constexpr int Cycles(int ohms) { return static_cast<int>(ohms * 0.01904); }

// Paddle 0 is analog input 0, and its button is the joystick's right. Paddle 1 is analog input 1.
// No player turns the paddles of the right port.
TEST(PaddleController, LeftPort) {
  const Paddles paddles{{100'000, 700'000}};
  for (int action = 0; action < kNumActions; ++action) {
    const ConsoleInputs inputs = InputsFor(kPaddles, At(action), {}, paddles);
    EXPECT_EQ(inputs.riot.port_a, Has(action, 'f') ? 0x7F : 0xFF) << action;
    EXPECT_EQ(inputs.tia.charge_cycles[0], Cycles(100'000));
    EXPECT_EQ(inputs.tia.charge_cycles[1], Cycles(700'000));
    EXPECT_EQ(inputs.tia.charge_cycles[2], TiaInputs::kAlways);
    EXPECT_EQ(inputs.tia.charge_cycles[3], TiaInputs::kAlways);
    EXPECT_TRUE(inputs.tia.button_up[0]);
    EXPECT_TRUE(inputs.tia.button_up[1]);
  }
}

// With swapped paddles, player 0 uses paddle 1, whose button is the joystick's left.
TEST(PaddleController, SwappedPaddles) {
  Hardware hardware = kPaddles;
  hardware.swap_paddles = true;
  const Paddles paddles{{100'000, 700'000}};
  const ConsoleInputs inputs = InputsFor(hardware, Action::kFire, {}, paddles);
  EXPECT_EQ(inputs.riot.port_a, 0xBF);
  EXPECT_EQ(inputs.tia.charge_cycles[1], Cycles(100'000));
  EXPECT_EQ(inputs.tia.charge_cycles[0], Cycles(700'000));
}

// A paddle without resistance charges at once.
TEST(PaddleController, NoResistanceChargesAtOnce) {
  const ConsoleInputs inputs = InputsFor(kPaddles, Action::kNoop, {}, {});
  EXPECT_EQ(inputs.tia.charge_cycles[0], TiaInputs::kAlways);
  EXPECT_EQ(inputs.tia.charge_cycles[1], TiaInputs::kAlways);
}

// Both paddles begin in the middle of their range.
TEST(PaddleController, BeginsInTheMiddle) {
  const Paddles paddles = CenteredPaddles(kPaddles);
  EXPECT_EQ(paddles.position[0], 408'823);  // the middle of 27,450 and 790,196
  EXPECT_EQ(paddles.position[1], 408'823);
  Hardware hardware = kPaddles;
  hardware.paddle_max = 500'000;
  EXPECT_EQ(CenteredPaddles(hardware).position[0], 263'725);
}

// Left increases the position and right decreases it, by the action's strength, whatever else the
// action does. The other player's paddle does not move.
TEST(PaddleController, TurnsByTheActionsStrength) {
  for (int action = 0; action < kNumActions; ++action) {
    for (const int percent : {0, 25, 50, 100}) {
      Paddles paddles{{400'000, 300'000}};
      TurnPaddle(kPaddles, At(action), static_cast<float>(percent) / 100.0f, paddles);
      const int step = 230 * percent;
      const int moved = Has(action, 'l') ? step : Has(action, 'r') ? -step : 0;
      EXPECT_EQ(paddles.position[0], 400'000 + moved) << action;
      EXPECT_EQ(paddles.position[1], 300'000) << action;
    }
  }
  Paddles paddles{{400'000, 300'000}};
  TurnPaddle(kPaddles, Action::kLeft, -0.5f, paddles);  // the sign is ignored
  EXPECT_EQ(paddles.position[0], 411'500);
}

// A paddle stops at both ends of its range.
TEST(PaddleController, StopsAtTheEnds) {
  Hardware hardware = kPaddles;
  hardware.paddle_max = 100'000;
  Paddles paddles = CenteredPaddles(hardware);
  for (int i = 0; i < 10; ++i) TurnPaddle(hardware, Action::kLeft, 1.0f, paddles);
  EXPECT_EQ(paddles.position[0], 100'000);
  for (int i = 0; i < 10; ++i) TurnPaddle(hardware, Action::kRightFire, 1.0f, paddles);
  EXPECT_EQ(paddles.position[0], 27'450);
}

// Reset is bit 0 and select is bit 1, both 0 while pressed. Difficulty A is bit 6 for the left
// player and bit 7 for the right player. Bits 2 to 5 are 1.
TEST(ConsoleSwitches, Bits) {
  for (int select = 0; select < 2; ++select) {
    for (int reset = 0; reset < 2; ++reset) {
      for (int difficulty = 0; difficulty < 4; ++difficulty) {
        const Switches switches{
            .select = select == 1, .reset = reset == 1, .difficulty = difficulty};
        const ConsoleInputs inputs = InputsFor({}, Action::kNoop, switches, {});
        EXPECT_EQ(inputs.riot.switches, 0x3F - 2 * select - reset + 64 * difficulty);
      }
    }
  }
}

// Until a player sets the difficulty switches, they have the cartridge's default positions.
TEST(ConsoleSwitches, PowerOn) {
  EXPECT_EQ(PowerOnInputs({}).riot.switches, 0x3F);
  EXPECT_EQ(PowerOnInputs({.left_difficulty_a = true}).riot.switches, 0x7F);
  EXPECT_EQ(PowerOnInputs({.right_difficulty_a = true}).riot.switches, 0xBF);
  EXPECT_EQ(PowerOnInputs({}).riot.port_a, 0xFF);
  EXPECT_TRUE(PowerOnInputs({}).tia.button_up[0]);
  ExpectNoPaddles(PowerOnInputs({}));
}

}  // namespace controls_test
}  // namespace engine::atari::testing
