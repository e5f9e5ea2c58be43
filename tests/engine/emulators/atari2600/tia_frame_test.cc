// The TIA's frames: the ends of lines and frames, the picture's buffers, PAL.
#include <cstdint>

#include "tests/engine/emulators/atari2600/screen.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace tia_frame_test {

// WSYNC halts the processor until the line ends. In the first cycle of a line it does not halt.
TEST(TiaLine, WsyncWaitsForTheLinesEnd) {
  Screen screen;
  for (int cycle = 0; cycle < 76; ++cycle) {
    for (const int line : {0, 1, 200}) {
      const int at = 76 * line + cycle;
      EXPECT_EQ(screen.tia().LineEnd(at), cycle == 0 ? at : 76 * (line + 1)) << at;
    }
  }
}

// A frame that begins within a line does not restart the line.
TEST(TiaLine, FramesDoNotRestartLines) {
  Screen screen;
  screen.Goto(262, 20);
  screen.NextFrame();
  EXPECT_EQ(screen.tia().ClockOfLine(0), 60);
  EXPECT_EQ(screen.tia().LineEnd(0), 56);
  EXPECT_EQ(screen.tia().LineEnd(55), 56);
  EXPECT_EQ(screen.tia().LineEnd(56), 56);
  EXPECT_EQ(screen.tia().Scanline(55), 0);
  EXPECT_EQ(screen.tia().Scanline(56), 1);
  // The picture follows the lines: in cycles of this frame, its first row begins 20 cycles early.
  screen.At(34 * 76 - 20);
  screen.Write(kColubk, 0x30);
  EXPECT_EQ(screen.Row(0), Line({}, 'f'));
}

// A frame ends when VSYNC is switched off at least one line after it was switched on.
TEST(TiaFrame, EndsWithVsyncOfALine) {
  for (const int cycles : {3, 75, 76, 77, 228}) {
    Screen screen;
    screen.Goto(260, 10);
    EXPECT_FALSE(screen.Write(kVsync, 0x02));
    screen.Goto(260, 10 + cycles);
    EXPECT_EQ(screen.Write(kVsync, 0x00), cycles >= 76) << cycles;
  }
}

// Only bit 1 counts. The line of VSYNC starts at the latest write that sets the bit. If a write
// clears it too early, a later one may still end the frame.
TEST(TiaFrame, VsyncCountsFromItsLatestStart) {
  Screen screen;
  screen.Goto(100, 0);
  EXPECT_FALSE(screen.Write(kVsync, 0xFF));
  screen.Goto(101, 0);
  EXPECT_FALSE(screen.Write(kVsync, 0x02));
  screen.Goto(101, 70);
  EXPECT_FALSE(screen.Write(kVsync, 0x00));
  screen.Goto(102, 0);
  EXPECT_TRUE(screen.Write(kVsync, 0xFD));
  EXPECT_FALSE(screen.Write(kVsync, 0x00));  // a second write has no effect
}

// Clearing VSYNC ends no frame if it was not set before.
TEST(TiaFrame, VsyncOffAloneEndsNothing) {
  Screen screen;
  screen.Goto(270, 0);
  EXPECT_FALSE(screen.Write(kVsync, 0x00));
}

// A frame that begins while VSYNC is on ends when VSYNC is switched off.
TEST(TiaFrame, VsyncGoesOnIntoTheNextFrame) {
  Screen screen;
  screen.Goto(262, 0);
  screen.Write(kVsync, 0x02);
  screen.NextFrame();
  screen.At(72);  // 75 cycles after VSYNC was set
  EXPECT_FALSE(screen.Write(kVsync, 0x00));
  EXPECT_TRUE(screen.Write(kVsync, 0x00));
}

// Without VSYNC, the first write to any register after 291 lines (NTSC) or 343 lines (PAL) ends the
// frame. Reads do not end it.
TEST(TiaFrame, EndsAfterTheMostLines) {
  for (const int most : {290, 342}) {
    for (const int address : {kColubk, kWsync, kHmove, kCxclr}) {
      TiaSetup setup = Screen::kSetup;
      setup.max_lines = most;
      Screen screen(setup);
      screen.Goto(most, 75);
      EXPECT_FALSE(screen.Write(address, 0));
      screen.Goto(most + 1, 0);
      screen.Read(kCxm0p);
      EXPECT_TRUE(screen.Write(address, 0));
      EXPECT_TRUE(screen.Write(address, 0));
    }
  }
}

// The two buffers alternate: below the last row of a short frame, the picture shows the frame
// before the previous one.
TEST(TiaFrame, AnIncompleteFrameShowsTheOneBeforeThePrevious) {
  Screen screen;
  screen.Row(19);  // a frame of '.'
  screen.NextFrame();
  screen.Write(kColubk, 0x30);
  screen.Row(19);  // a frame of 'f'
  screen.NextFrame();
  screen.Write(kColubk, 0x20);
  screen.GotoRow(5, 40);  // a frame of '1' until pixel 52 of row 5
  screen.Read(kCxm0p);
  screen.NextFrame();
  Picture& picture = screen.picture();
  picture.Swap();  // look at the latest frame again
  for (int row = 0; row < 20; ++row) {
    const bool drawn = row < 5;
    EXPECT_EQ(picture.Row(row)[0], row <= 5 ? 0x20 : 0x40) << row;
    EXPECT_EQ(picture.Row(row)[51], row <= 5 ? 0x20 : 0x40) << row;
    EXPECT_EQ(picture.Row(row)[52], drawn ? 0x20 : 0x40) << row;
    EXPECT_EQ(picture.Row(row)[159], drawn ? 0x20 : 0x40) << row;
  }
}

// Only the lines of the picture are drawn, however long the frame is.
TEST(TiaFrame, DrawsOnlyItsLines) {
  Screen screen;
  screen.Goto(33, 75);
  screen.Read(kCxm0p);
  EXPECT_EQ(screen.Color(0, 0), 0);
  screen.Goto(280, 0);
  screen.Read(kCxm0p);
  for (int row = 0; row < 20; ++row) EXPECT_EQ(screen.Color(row, 159), 0x40);
}

constexpr TiaSetup Format(bool color_loss) {
  TiaSetup setup = Screen::kSetup;
  setup.color_loss = color_loss;
  return setup;
}

// On a PAL set, a frame with an odd number of lines removes the color of the next frame: every
// color number is odd, also those written earlier. A frame with an even number of lines restores
// the color.
TEST(TiaPal, AnOddFrameTakesTheColorOffTheNext) {
  Screen screen(Format(true));
  screen.Write(kPf0, 0x10);
  screen.Row(0);
  EXPECT_EQ(screen.Color(0, 0), 0x30);
  EXPECT_EQ(screen.Color(0, 50), 0x40);
  screen.Goto(313, 0);
  screen.NextFrame();
  screen.Row(0);
  EXPECT_EQ(screen.Color(0, 0), 0x31);
  EXPECT_EQ(screen.Color(0, 50), 0x41);
  screen.Write(kColupf, 0x20);  // written during a frame without color
  screen.Row(2);
  EXPECT_EQ(screen.Color(2, 0), 0x21);
  screen.Goto(312, 75);
  screen.NextFrame();
  screen.Row(3);
  EXPECT_EQ(screen.Color(3, 0), 0x20);
  EXPECT_EQ(screen.Color(3, 50), 0x40);
}

// Blanked lines stay black.
TEST(TiaPal, BlackStaysBlack) {
  Screen screen(Format(true));
  screen.Goto(313, 0);
  screen.NextFrame();
  screen.Write(kVblank, 0x02);
  screen.Row(0);
  EXPECT_EQ(screen.Color(0, 50), 0x00);
}

// An NTSC set does not lose color.
TEST(TiaPal, NtscKeepsItsColor) {
  Screen screen(Format(false));
  screen.Goto(261, 0);
  screen.NextFrame();
  EXPECT_EQ(screen.Row(0), Line({}));
}

}  // namespace tia_frame_test
}  // namespace engine::atari2600::testing
