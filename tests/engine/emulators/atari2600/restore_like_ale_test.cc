// Tests which parts of the state a restore like ale-py's keeps in the middle of a frame. The parity
// tests compare the rest with ale-py itself, which cannot be stopped within a frame.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>

#include "engine/emulators/atari2600/console.h"
#include "tests/engine/emulators/atari2600/programs.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace restore_like_ale_test {

// Each line changes color twice within the picture. The colors differ from frame to frame.
Bytes StripedRom() {
  return Rom({0xA9, 0x02,                          // F000 LDA #2
              0x85, 0x00,                          //      STA VSYNC
              0x85, 0x02, 0x85, 0x02, 0x85, 0x02,  //      STA WSYNC, three times
              0xA9, 0x00,                          //      LDA #0
              0x85, 0x00,                          //      STA VSYNC
              0xA2, 0x00,                          //      LDX #0
              0xE6, 0x80, 0xE6, 0x80,              // F010 INC $80, twice
              0x85, 0x02,                          // F014 STA WSYNC
              0x18, 0x65, 0x80, 0xEA, 0xEA, 0xEA,  //      CLC; ADC $80; NOP, eight times
              0xEA, 0xEA, 0xEA, 0xEA, 0xEA,        //
              0x85, 0x09,                          // F021 STA COLUBK
              0x49, 0x5A, 0xEA, 0xEA, 0xEA,        //      EOR #$5A; NOP, three times
              0x85, 0x09,                          // F028 STA COLUBK
              0xCA,                                //      DEX
              0xD0, 0xE7,                          //      BNE F014
              0x4C, 0x00, 0xF0});                  //      JMP F000
}
constexpr int kAfterFirst = 0xF023;
constexpr int kAfterSecond = 0xF02A;

// A position in a frame: right after one of a line's two changes of color.
struct Stop {
  int scanline = 0;
  int pc = 0;
};

void RunTo(Console& console, const Stop& stop) {
  do {
    console.StepInstruction();
  } while (console.state().cpu.pc != stop.pc || console.scanline() != stop.scanline);
}

// The index of the next pixel that the console draws, counted from the start of the picture.
int Place(const Console& console) {
  const ConsoleState& state = console.state();
  return (console.scanline() - state.tia.setup().first_line) * kWidth +
         state.tia.ClockOfLine(state.cycles) - kBlankClocks;
}

Bytes Pixels(const Console& console) {
  return Bytes(console.pixels().begin(), console.pixels().end());
}

// Restores the state of `then` in a frame that has been drawn up to `now`. The picture must
// continue at `now`, even within a row, and ignore pixels beyond the last row.
void GoOn(const Stop& now, const Stop& then) {
  std::mt19937 random(31);
  const auto cartridge = std::make_shared<const Cartridge>(Mapper::k4K, StripedRom());
  Console console(cartridge, {}, random);
  console.Reset(random);
  for (int frame = 0; frame < 5; ++frame) console.RunFrame();
  RunTo(console, then);
  const ConsoleState restored = console.state();
  const int from = Place(console);
  console.RunFrame();
  const Bytes rest = Pixels(console);

  for (int frame = 0; frame < 4; ++frame) console.RunFrame();
  RunTo(console, now);
  Bytes expected = Pixels(console);
  const int to = Place(console);
  const auto size = static_cast<int>(expected.size());
  const int count = size - std::max(from, to);
  ASSERT_TRUE(count > 0);
  std::copy_n(rest.begin() + from, count, expected.begin() + to);
  EXPECT_FALSE(expected == Pixels(console));

  ConsoleState state = restored;
  state.tia.KeepUnsaved(console.state().tia, /*in_frame=*/true);
  console.Restore(state);
  console.RunFrame();
  EXPECT_FALSE(console.state().in_frame);
  EXPECT_TRUE(Pixels(console) == expected) << now.scanline << " " << then.scanline;

  // The following frame shows no trace of the restore.
  console.RunFrame();
  const Bytes next = Pixels(console);
  Console other(cartridge, {}, random);
  other.Reset(random);
  other.Restore(restored);
  other.RunFrame();
  other.RunFrame();
  EXPECT_TRUE(next == Pixels(other));
}

TEST(RestoreLikeAle, AFrameGoesOnWhereItStands) {
  GoOn({80, kAfterFirst}, {80, kAfterFirst});
  GoOn({80, kAfterFirst}, {150, kAfterFirst});
  GoOn({150, kAfterFirst}, {80, kAfterFirst});
  GoOn({80, kAfterSecond}, {150, kAfterFirst});
  GoOn({80, kAfterFirst}, {150, kAfterSecond});
  GoOn({150, kAfterSecond}, {80, kAfterFirst});
  GoOn({150, kAfterFirst}, {80, kAfterSecond});
}

}  // namespace restore_like_ale_test
}  // namespace engine::atari2600::testing
