// The TIA's HMOVE: motion, blanks, and the stars of Cosmic Ark.
#include <array>
#include <cstddef>
#include <string>

#include "tests/engine/emulators/atari2600/screen.h"
#include "tests/engine/emulators/atari2600/tia_model.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace tia_motion_test {

constexpr Object kThings[5] = {Object::kPlayer0, Object::kPlayer1, Object::kMissile0,
                               Object::kMissile1, Object::kBall};

// All five objects, one pixel wide, 30 pixels apart.
Screen AllObjects() {
  Screen screen;
  for (int i = 0; i < 5; ++i) screen.Place(kThings[i], 20 + 30 * i);
  screen.Write(kGrp0, 0x80);
  screen.Write(kGrp1, 0x80);
  for (const int address : {kEnam0, kEnam1, kEnabl}) screen.Write(address, 0x02);
  return screen;
}

std::string AllMoved(const std::array<int, 5>& by) {
  constexpr char kColors[5] = {'0', '1', '0', '1', 'f'};
  std::string row = Line({});
  for (std::size_t i = 0; i < 5; ++i) {
    row[static_cast<std::size_t>(20 + 30 * static_cast<int>(i) + by[i])] = kColors[i];
  }
  return row;
}

std::string AllMoved(int by) { return AllMoved({by, by, by, by, by}); }

// HMOVE in the first cycle of a line moves by seven pixels left to eight pixels right.
TEST(TiaMotion, BytesAreSignedAndCountLeft) {
  constexpr int kMotion[16] = {0, -1, -2, -3, -4, -5, -6, -7, 8, 7, 6, 5, 4, 3, 2, 1};
  for (int bits = 0; bits < 16; ++bits) {
    Screen screen = AllObjects();
    screen.GotoRow(1, 0);
    for (int i = 0; i < 5; ++i) screen.Write(kHmp0 + i, bits << 4 | 0x0F);
    screen.WriteAt(2, 0, kHmove, 0);
    EXPECT_EQ(screen.Row(2), AllMoved(kMotion[bits])) << bits;
    EXPECT_EQ(screen.Row(3), AllMoved(kMotion[bits])) << bits;
  }
}

// Every motion at every cycle of a line, for each object, compared with the count in tia_model.h.
TEST(TiaMotion, EveryCycleAndMotion) {
  for (int cycle = 0; cycle < 76; ++cycle) {
    for (int first = 0; first < 16; ++first) {
      Screen screen = AllObjects();
      std::array<int, 5> expected{};
      screen.GotoRow(1, 0);
      for (int i = 0; i < 5; ++i) {
        const int bits = (first + 3 * i) % 16;
        screen.Write(kHmp0 + i, bits << 4);
        expected[static_cast<std::size_t>(i)] = HmoveMotion(cycle, bits);
      }
      screen.WriteAt(2, cycle, kHmove, 0);
      EXPECT_EQ(screen.Row(3), AllMoved(expected)) << cycle << " " << first;
    }
  }
}

// Some of these motions as literals: late in the blank, within the line, near its end, and in its
// last cycle.
TEST(TiaMotion, LateMotionByLiteralFacts) {
  struct Fact {
    int cycle, bits, by;
  };
  constexpr Fact kFacts[] = {{3, 7, -7},   {4, 7, -6},  {8, 7, -3},  {12, 0, 0},   {13, 0, 1},
                             {20, 0, 6},   {20, 8, 8},  {20, 15, 6}, {21, 7, 0},   {40, 8, 0},
                             {54, 7, 0},   {55, 7, -1}, {63, 7, -7}, {64, 0, -1},  {64, 15, 0},
                             {74, 7, -15}, {74, 0, -8}, {74, 8, 0},  {74, 15, -7}, {75, 7, -7},
                             {75, 8, 8},   {75, 0, 0}};
  for (const Fact& fact : kFacts) {
    EXPECT_EQ(HmoveMotion(fact.cycle, fact.bits), fact.by) << fact.cycle << " " << fact.bits;
    Screen screen = AllObjects();
    screen.GotoRow(1, 0);
    for (int i = 0; i < 5; ++i) screen.Write(kHmp0 + i, fact.bits << 4);
    screen.WriteAt(2, fact.cycle, kHmove, 0);
    EXPECT_EQ(screen.Row(3), AllMoved(fact.by)) << fact.cycle << " " << fact.bits;
  }
}

// Motion wraps at the line's ends.
TEST(TiaMotion, GoesRoundTheLine) {
  Screen screen;
  screen.Place(Object::kPlayer0, 3);
  screen.Place(Object::kPlayer1, 155);
  screen.Write(kGrp0, 0x80);
  screen.Write(kGrp1, 0x80);
  screen.Write(kHmp0, 0x70);
  screen.Write(kHmp1, 0x80);
  screen.WriteAt(2, 0, kHmove, 0);
  EXPECT_EQ(screen.Row(2), Line({{'0', 156, 1}, {'1', 3, 1}}));
}

// HMCLR clears the motion of all five objects. Without HMOVE nothing moves.
TEST(TiaMotion, HmclrClearsAllFive) {
  Screen screen = AllObjects();
  screen.GotoRow(1, 0);
  for (int i = 0; i < 5; ++i) screen.Write(kHmp0 + i, 0x70);
  EXPECT_EQ(screen.Row(1), AllMoved(0));
  screen.Write(kHmclr, 0xFF);
  screen.WriteAt(4, 0, kHmove, 0);
  EXPECT_EQ(screen.Row(4), AllMoved(0));
}

// Motion registers keep their values: each HMOVE moves again.
TEST(TiaMotion, RepeatsWithEveryHmove) {
  Screen screen = AllObjects();
  screen.GotoRow(1, 0);
  for (int i = 0; i < 5; ++i) screen.Write(kHmp0 + i, 0x10);
  screen.WriteAt(2, 0, kHmove, 0);
  screen.WriteAt(3, 0, kHmove, 0);
  EXPECT_EQ(screen.Row(3), AllMoved(-2));
}

constexpr TiaSetup WithBlanks(bool blanks) {
  TiaSetup setup = Screen::kSetup;
  setup.hmove_blanks = blanks;
  return setup;
}

// HMOVE in the first 21 cycles of a line blanks its first eight pixels, and only those.
TEST(TiaHmoveBlank, BlanksEightPixelsOfItsLine) {
  for (int cycle = 0; cycle <= 20; ++cycle) {
    Screen screen(WithBlanks(true));
    screen.WriteAt(2, cycle, kHmove, 0);
    EXPECT_EQ(screen.Row(2), Line({{'#', 0, 8}})) << cycle;
    EXPECT_EQ(screen.Row(3), Line({})) << cycle;
  }
}

// HMOVE in the last cycle of a line blanks the next line. At cycles 21 to 74 it blanks nothing.
TEST(TiaHmoveBlank, LateInTheLine) {
  for (int cycle = 21; cycle < 76; ++cycle) {
    Screen screen(WithBlanks(true));
    screen.WriteAt(2, cycle, kHmove, 0);
    EXPECT_EQ(screen.Row(2), Line({})) << cycle;
    EXPECT_EQ(screen.Row(3), cycle == 75 ? Line({{'#', 0, 8}}) : Line({})) << cycle;
    EXPECT_EQ(screen.Row(4), Line({})) << cycle;
  }
}

// An HMOVE above the picture blanks the start of the picture's first line.
TEST(TiaHmoveBlank, WaitsForThePicture) {
  Screen screen(WithBlanks(true));
  screen.Goto(10, 0);
  screen.Write(kHmove, 0);
  EXPECT_EQ(screen.Row(0), Line({{'#', 0, 8}}));
  EXPECT_EQ(screen.Row(1), Line({}));
}

// Some cartridges are shown without these blanks.
TEST(TiaHmoveBlank, CanBeSwitchedOff) {
  Screen screen(WithBlanks(false));
  screen.WriteAt(2, 3, kHmove, 0);
  screen.WriteAt(3, 75, kHmove, 0);
  EXPECT_EQ(screen.Row(2), Line({}));
  EXPECT_EQ(screen.Row(4), Line({}));
}

// Objects within the blank still collide.
TEST(TiaHmoveBlank, CollisionsHappenInIt) {
  Screen screen(WithBlanks(true));
  screen.Write(kGrp0, 0xFF);  // both players at 0
  screen.Write(kGrp1, 0xFF);
  screen.WriteAt(2, 0, kCxclr, 0);
  screen.Write(kHmove, 0);
  screen.GotoRow(2, 60);
  EXPECT_EQ(screen.Read(kCxppmm), 0x80);
}

// Missile 0 at 100. HMOVE in row 2 moves it left by seven pixels. `distance` cycles later, HMM0
// changes from `from` to `to`.
Screen Stars(int distance = 21, int from = 0x70, int to = 0x60) {
  Screen screen;
  screen.Place(Object::kMissile0, 100);
  screen.Write(kEnam0, 0x02);
  screen.Write(kHmm0, from);
  screen.WriteAt(2, 3, kHmove, 0);
  screen.WriteAt(2, 3 + distance, kHmm0, to);
  return screen;
}

// If HMM0 changes from 7 to 6 exactly 21 cycles after HMOVE, missile 0 moves on every line: by 33,
// 0, 17 and 18 pixels to the left, repeatedly. It is twice as wide in the first of these four lines
// and not drawn in the second.
TEST(TiaStars, MissileMovesOnEveryLine) {
  Screen screen = Stars();
  const std::string rows[] = {
      Line({{'0', 93, 1}}), Line({{'0', 60, 2}}),  Line({}), Line({{'0', 43, 1}}),
      Line({{'0', 25, 1}}), Line({{'0', 152, 2}}), Line({}), Line({{'0', 135, 1}})};
  for (int row = 0; row < 8; ++row) EXPECT_EQ(screen.Row(2 + row), rows[row]) << row;
}

// At any other time or with other values, the missile does not move on.
TEST(TiaStars, NeedTheExactCycleAndValues) {
  for (Screen screen : {Stars(20), Stars(22), Stars(21, 0x70, 0x50), Stars(21, 0x70, 0x70)}) {
    EXPECT_EQ(screen.Row(2), Line({{'0', 93, 1}}));
    EXPECT_EQ(screen.Row(5), Line({{'0', 93, 1}}));
  }
  Screen slower = Stars(21, 0x60, 0x60);
  EXPECT_EQ(slower.Row(5), Line({{'0', 94, 1}}));
}

// The next HMOVE ends the motion.
TEST(TiaStars, HmoveEndsThem) {
  Screen screen = Stars();
  EXPECT_EQ(screen.Row(3), Line({{'0', 60, 2}}));
  screen.Write(kHmclr, 0);
  screen.WriteAt(5, 3, kHmove, 0);
  EXPECT_EQ(screen.Row(5), Line({{'0', 43, 1}}));
  EXPECT_EQ(screen.Row(8), Line({{'0', 43, 1}}));
}

// NUSIZ0, RESM0 and unlocking missile 0 restore its own shape until the line's end.
TEST(TiaStars, SomeWritesRestoreTheShape) {
  Screen size = Stars();
  size.WriteAt(4, 0, kNusiz0, 0x00);  // on this line the missile would not be drawn
  EXPECT_EQ(size.Row(4), Line({{'0', 60, 1}}));
  EXPECT_EQ(size.Row(5), Line({{'0', 43, 1}}));
  Screen position = Stars();
  position.WriteAt(4, 0, kResm0, 0);
  EXPECT_EQ(position.Row(4), Line({{'0', 2, 1}}));
  EXPECT_EQ(position.Row(5), Line({{'0', 145, 1}}));
  Screen lock = Stars();
  lock.WriteAt(4, 0, kResmp0, 0x02);
  lock.Write(kResmp0, 0x00);
  EXPECT_EQ(lock.Row(4), Line({{'0', 4, 1}}));
}

// The wider missile has at least two pixels. A missile of four pixels is drawn with eight.
TEST(TiaStars, WidthsInTheFirstLine) {
  constexpr int kWidth[4] = {2, 2, 8, 8};
  for (int size = 0; size < 4; ++size) {
    Screen screen = Stars();
    screen.WriteAt(2, 40, kNusiz0, size << 4);
    EXPECT_EQ(screen.Row(3), Line({{'0', 60, kWidth[size]}})) << size;
  }
}

}  // namespace tia_motion_test
}  // namespace engine::atari2600::testing
