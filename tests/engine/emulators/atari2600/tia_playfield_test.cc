// The TIA's playfield, its priorities and colors, and the delays of writes.
#include <cstddef>
#include <string>

#include "tests/engine/emulators/atari2600/screen.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace tia_playfield_test {

struct Bit {
  int address;
  int value;
  int x;  // of the cell
};

// The cells from left to right: PF0 from bit 4 up, PF1 from bit 7 down, PF2 from bit 0 up.
constexpr Bit kBits[20] = {{kPf0, 0x10, 0},  {kPf0, 0x20, 4},  {kPf0, 0x40, 8},  {kPf0, 0x80, 12},
                           {kPf1, 0x80, 16}, {kPf1, 0x40, 20}, {kPf1, 0x20, 24}, {kPf1, 0x10, 28},
                           {kPf1, 0x08, 32}, {kPf1, 0x04, 36}, {kPf1, 0x02, 40}, {kPf1, 0x01, 44},
                           {kPf2, 0x01, 48}, {kPf2, 0x02, 52}, {kPf2, 0x04, 56}, {kPf2, 0x08, 60},
                           {kPf2, 0x10, 64}, {kPf2, 0x20, 68}, {kPf2, 0x40, 72}, {kPf2, 0x80, 76}};

// Each bit is a cell of four pixels, and the right half repeats the left one.
TEST(TiaPlayfield, EachBitShowsTwice) {
  for (const Bit& bit : kBits) {
    Screen screen;
    screen.Write(bit.address, bit.value);
    EXPECT_EQ(screen.Row(0), Line({{'f', bit.x, 4}, {'f', bit.x + 80, 4}})) << bit.x;
  }
}

// CTRLPF bit 0 mirrors the right half.
TEST(TiaPlayfield, TheReflectedHalfIsMirrored) {
  for (const Bit& bit : kBits) {
    Screen screen;
    screen.Write(kCtrlpf, 0x01);
    screen.Write(bit.address, bit.value);
    EXPECT_EQ(screen.Row(0), Line({{'f', bit.x, 4}, {'f', 156 - bit.x, 4}})) << bit.x;
  }
}

// The low half of PF0 is not shown.
TEST(TiaPlayfield, TheLowBitsOfPf0AreNotWired) {
  Screen screen;
  screen.Write(kPf0, 0x0F);
  EXPECT_EQ(screen.Row(0), Line({}));
}

// A write to CTRLPF before clock 147 changes the reflection of the current line, a later write that
// of the next line.
TEST(TiaPlayfield, ReflectionIsTakenUntilClock147) {
  for (const int cycle : {0, 22, 40, 48}) {  // 48 is clock 144
    Screen screen;
    screen.Write(kPf0, 0x10);
    screen.WriteAt(3, cycle, kCtrlpf, 0x01);
    EXPECT_EQ(screen.Row(3), Line({{'f', 0, 4}, {'f', 156, 4}})) << cycle;
    screen.WriteAt(5, cycle, kCtrlpf, 0x00);
    EXPECT_EQ(screen.Row(5), Line({{'f', 0, 4}, {'f', 80, 4}})) << cycle;
  }
  for (const int cycle : {49, 60, 75}) {  // 49 is clock 147
    Screen screen;
    screen.Write(kPf0, 0x10);
    screen.WriteAt(3, cycle, kCtrlpf, 0x01);
    EXPECT_EQ(screen.Row(3), Line({{'f', 0, 4}, {'f', 80, 4}})) << cycle;
    EXPECT_EQ(screen.Row(4), Line({{'f', 0, 4}, {'f', 156, 4}})) << cycle;
  }
}

// In score mode the two halves have the players' colors.
TEST(TiaPlayfield, ScoreModeTakesThePlayersColors) {
  Screen screen;
  screen.Write(kCtrlpf, 0x02);
  screen.Write(kPf2, 0x81);
  EXPECT_EQ(screen.Row(0), Line({{'0', 48, 4}, {'0', 76, 4}, {'1', 128, 4}, {'1', 156, 4}}));
}

// In score mode with priority, the playfield has its own color, unless every other object is off.
TEST(TiaPlayfield, ScoreWithPriorityColorsOnlyALonePlayfield) {
  Screen screen;
  screen.Place(Object::kBall, 100);
  screen.Write(kCtrlpf, 0x06);
  screen.Write(kPf0, 0x10);
  EXPECT_EQ(screen.Row(0), Line({{'0', 0, 4}, {'1', 80, 4}}));
  screen.Write(kEnabl, 0x02);  // shown elsewhere on the line
  EXPECT_EQ(screen.Row(2), Line({{'f', 0, 4}, {'f', 80, 4}, {'f', 100, 1}}));
  screen.Write(kEnabl, 0x00);
  screen.Write(kEnam1, 0x02);
  screen.Write(kResmp1, 0x02);  // a locked missile is off
  EXPECT_EQ(screen.Row(5), Line({{'0', 0, 4}, {'1', 80, 4}}));
}

// Objects cover playfield and ball; player 0 and its missile cover player 1 and its missile.
TEST(TiaPriority, ObjectsCoverThePlayfield) {
  Screen screen;
  screen.Place(Object::kPlayer0, 80);
  screen.Place(Object::kPlayer1, 84);
  screen.Place(Object::kBall, 90);
  screen.Write(kPf0, 0xF0);  // 0 to 15 and 80 to 95
  screen.Write(kGrp0, 0xFF);
  screen.Write(kGrp1, 0xFF);
  screen.Write(kCtrlpf, 0x30);  // a ball of eight pixels, 90 to 97
  screen.Write(kEnabl, 0x02);
  EXPECT_EQ(screen.Row(1), Line({{'f', 0, 16}, {'f', 80, 18}, {'1', 84, 8}, {'0', 80, 8}}));
}

// A missile has the priority of its player.
TEST(TiaPriority, MissilesRankAsTheirPlayers) {
  Screen screen;
  screen.Place(Object::kMissile0, 80);
  screen.Place(Object::kMissile1, 84);
  screen.Write(kPf0, 0xF0);
  screen.Write(kNusiz0, 0x30);
  screen.Write(kNusiz1, 0x30);
  screen.Write(kEnam0, 0x02);
  screen.Write(kEnam1, 0x02);
  EXPECT_EQ(screen.Row(0), Line({{'f', 0, 16}, {'f', 80, 16}, {'1', 84, 8}, {'0', 80, 8}}));
}

// CTRLPF bit 2: playfield and ball cover the objects.
TEST(TiaPriority, ThePlayfieldInFrontCoversTheObjects) {
  Screen screen;
  screen.Place(Object::kPlayer0, 76);
  screen.Place(Object::kPlayer1, 92);
  screen.Place(Object::kBall, 98);
  screen.Write(kPf0, 0xF0);
  screen.Write(kGrp0, 0xFF);
  screen.Write(kGrp1, 0xFF);
  screen.Write(kCtrlpf, 0x04);
  screen.Write(kEnabl, 0x02);
  EXPECT_EQ(screen.Row(1),
            Line({{'0', 76, 8}, {'1', 92, 8}, {'f', 0, 16}, {'f', 80, 16}, {'f', 98, 1}}));
}

// In score mode, player 1 is behind the playfield's left half, which has player 0's color, and
// covers the right half. Player 0 covers both.
TEST(TiaPriority, Player1StaysBehindTheLeftScore) {
  Screen screen;
  screen.Write(kCtrlpf, 0x02);
  screen.Place(Object::kPlayer1, 14);
  screen.Write(kNusiz1, 0x04);  // and a copy at 78
  screen.Write(kPf0, 0xF0);     // 0 to 15, 80 to 95
  screen.Write(kGrp1, 0xFF);
  EXPECT_EQ(screen.Row(0), Line({{'1', 14, 8}, {'0', 0, 16}, {'1', 78, 18}}));
}

// In score mode the ball keeps COLUPF and is behind the playfield.
TEST(TiaPriority, TheBallKeepsItsColorInScoreMode) {
  Screen screen;
  screen.Place(Object::kBall, 14);
  screen.Write(kCtrlpf, 0x32);
  screen.Write(kPf0, 0xF0);
  screen.Write(kEnabl, 0x02);
  EXPECT_EQ(screen.Row(0), Line({{'f', 14, 8}, {'0', 0, 16}, {'1', 80, 16}}));
}

// The pixel at which a write without delay takes effect.
constexpr int PixelAt(int cycle) { return 3 * cycle - 68; }

// The lowest bit of a color register has no effect.
TEST(TiaColor, TheLowestBitIsNotWired) {
  Screen screen;
  screen.Write(kColubk, 0x41);
  EXPECT_EQ(screen.Row(0), Line({}));
}

// Colors change at the clock of the write.
TEST(TiaDelay, ColorsTakeEffectAtOnce) {
  for (const int cycle : {23, 40, 75}) {
    Screen screen;
    screen.WriteAt(2, cycle, kColubk, 0x30);
    EXPECT_EQ(screen.Row(2), Line({{'f', PixelAt(cycle), 160 - PixelAt(cycle)}})) << cycle;
  }
}

// Playfield registers take effect 4, 5, 2 or 3 clocks later, by the cycle's index modulo four in
// its line.
TEST(TiaDelay, ThePlayfieldTakesEffectByFourCycles) {
  constexpr int kDelay[4] = {4, 5, 2, 3};
  for (int cycle = 24; cycle < 74; ++cycle) {
    for (const int address : {kPf0, kPf1, kPf2}) {
      Screen screen;
      Screen without;
      for (const int other : {kPf0, kPf1, kPf2}) {
        screen.Write(other, 0xFF);
        if (other != address) without.Write(other, 0xFF);
      }
      screen.WriteAt(2, cycle, address, 0x00);
      const auto at = static_cast<std::size_t>(PixelAt(cycle) + kDelay[cycle % 4]);
      const std::string expected = Line({}, 'f').substr(0, at) + without.Row(2).substr(at);
      EXPECT_EQ(screen.Row(2), expected) << cycle << " " << address;
    }
  }
}

// CTRLPF's priority, score and ball size change at the clock of the write.
TEST(TiaDelay, ControlTakesEffectAtOnce) {
  Screen screen;
  screen.Write(kPf0, 0xF0);
  screen.WriteAt(2, 24, kCtrlpf, 0x02);
  EXPECT_EQ(screen.Row(2), Line({{'f', 0, 4}, {'0', 4, 12}, {'1', 80, 16}}));
}

// VBLANK, GRP and REFP take effect one clock later.
TEST(TiaDelay, BlankGraphicsAndReflectionAreAClockLate) {
  Screen screen;
  screen.WriteAt(2, 40, kVblank, 0x02);
  EXPECT_EQ(screen.Row(2), Line({{'#', 53, 107}}));

  Screen graphics;
  graphics.Place(Object::kPlayer0, 49);
  graphics.Write(kGrp0, 0xFF);
  graphics.WriteAt(2, 40, kGrp0, 0x00);
  EXPECT_EQ(graphics.Row(2), Line({{'0', 49, 4}}));

  Screen reflection;
  reflection.Place(Object::kPlayer0, 49);
  reflection.Write(kGrp0, 0xF0);
  reflection.WriteAt(2, 40, kRefp0, 0x08);
  EXPECT_EQ(reflection.Row(2), Line({{'0', 49, 8}}));
}

// NUSIZ takes effect eight clocks later.
TEST(TiaDelay, SizesAreEightClocksLate) {
  Screen screen;
  screen.Place(Object::kMissile0, 56);
  screen.Write(kEnam0, 0x02);
  screen.Write(kNusiz0, 0x30);
  screen.WriteAt(2, 40, kNusiz0, 0x00);  // at 52
  EXPECT_EQ(screen.Row(2), Line({{'0', 56, 4}}));
}

// ENAM and ENABL take effect at the clock of the write.
TEST(TiaDelay, MissilesAndBallGoAtOnce) {
  Screen screen;
  screen.Place(Object::kMissile0, 50);
  screen.Place(Object::kMissile1, 59);
  screen.Place(Object::kBall, 68);
  screen.Write(kNusiz0, 0x30);
  screen.Write(kNusiz1, 0x30);
  screen.Write(kCtrlpf, 0x30);
  for (const int address : {kEnam0, kEnam1, kEnabl}) screen.Write(address, 0x02);
  screen.WriteAt(2, 40, kEnam0, 0x00);  // at 52
  screen.WriteAt(2, 43, kEnam1, 0x00);  // at 61
  screen.WriteAt(2, 46, kEnabl, 0x00);  // at 70
  EXPECT_EQ(screen.Row(2), Line({{'0', 50, 2}, {'1', 59, 2}, {'f', 68, 2}}));
}

// A write exactly at the end of a line belongs to the next line.
TEST(TiaDelay, AWriteAtALinesEndIsForTheNextLine) {
  Screen screen;
  screen.WriteAt(2, 0, kColubk, 0x30);
  EXPECT_EQ(screen.Row(2), Line({}, 'f'));
  EXPECT_EQ(screen.Color(1, 159), 0x40);
}

}  // namespace tia_playfield_test
}  // namespace engine::atari2600::testing
