// The TIA's players, missiles and ball: shapes, copies, positions.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/engine/emulators/atari2600/screen.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace tia_objects_test {

// Distances of the copies from the object's position, by the low three bits of NUSIZ.
const std::vector<int> kCopies[8] = {{0},     {0, 16}, {0, 32},     {0, 16, 32},
                                     {0, 64}, {0},     {0, 32, 64}, {0}};

// The leftmost pixel of a player is bit 7.
TEST(TiaPlayer, Bit7IsLeftmost) {
  for (int bit = 0; bit < 8; ++bit) {
    Screen screen;
    screen.Place(Object::kPlayer0, 40);
    screen.Place(Object::kPlayer1, 60);
    screen.Write(kGrp0, 1 << bit);
    screen.Write(kGrp1, 1 << bit);
    EXPECT_EQ(screen.Row(0), Line({{'0', 47 - bit, 1}, {'1', 67 - bit, 1}}));
  }
}

// REFP bit 3 mirrors a player. The other bits have no effect.
TEST(TiaPlayer, ReflectionTurnsItRound) {
  for (int bit = 0; bit < 8; ++bit) {
    Screen screen;
    screen.Place(Object::kPlayer0, 40);
    screen.Place(Object::kPlayer1, 60);
    screen.Write(kGrp0, 1 << bit);
    screen.Write(kGrp1, 1 << bit);
    screen.Write(kRefp0, 0x08);
    screen.Write(kRefp1, 0xF7);
    EXPECT_EQ(screen.Row(0), Line({{'0', 40 + bit, 1}, {'1', 67 - bit, 1}}));
  }
}

// One to three copies. Sizes 5 and 7 stretch the player two and four times and show it one pixel
// later.
TEST(TiaPlayer, CopiesAndSizes) {
  for (int size = 0; size < 8; ++size) {
    for (const int player : {0, 1}) {
      Screen screen;
      screen.Place(player == 0 ? Object::kPlayer0 : Object::kPlayer1, 20);
      screen.Write(kGrp0 + player, 0xA1);  // X.X....X
      screen.Write(kNusiz0 + player, size);
      const char color = player == 0 ? '0' : '1';
      const int scale = size == 5 ? 2 : size == 7 ? 4 : 1;
      std::string expected = Line({});
      for (const int copy : kCopies[size]) {
        for (const int bit : {0, 2, 7}) {
          const int x = 20 + copy + (scale > 1 ? 1 : 0) + bit * scale;
          for (int i = 0; i < scale; ++i) expected[static_cast<std::size_t>(x + i)] = color;
        }
      }
      EXPECT_EQ(screen.Row(0), expected) << size;
    }
  }
}

// Every copy in every size wraps at the line's end.
TEST(TiaPlayer, GoesRoundTheLinesEnd) {
  const auto row = [](int x, int size) {
    Screen screen;
    screen.Place(Object::kPlayer0, x);
    screen.Write(kGrp0, 0xFF);
    screen.Write(kNusiz0, size);
    return screen.Row(0);
  };
  EXPECT_EQ(row(156, 0), Line({{'0', 156, 8}}));
  EXPECT_EQ(row(140, 1), Line({{'0', 140, 8}, {'0', 156, 8}}));
  EXPECT_EQ(row(150, 6), Line({{'0', 150, 8}, {'0', 22, 8}, {'0', 54, 8}}));
  EXPECT_EQ(row(159, 5), Line({{'0', 0, 16}}));
  EXPECT_EQ(row(140, 7), Line({{'0', 141, 32}}));
}

// VDELP bit 0: a player shows the graphics that it had when the other player's graphics were last
// written.
TEST(TiaPlayer, VerticalDelayWaitsForTheOtherPlayer) {
  for (const int player : {0, 1}) {
    Screen screen;
    screen.Place(player == 0 ? Object::kPlayer0 : Object::kPlayer1, 40);
    const char color = player == 0 ? '0' : '1';
    const std::string full = Line({{color, 40, 8}});
    screen.Write(kVdelp0 + player, 0x01);
    screen.Write(kGrp0 + player, 0xFF);
    EXPECT_EQ(screen.Row(0), Line({}));
    screen.Write(kGrp1 - player, 0x00);
    EXPECT_EQ(screen.Row(2), full);
    screen.Write(kGrp0 + player, 0x80);
    EXPECT_EQ(screen.Row(4), full);
    screen.Write(kVdelp0 + player, 0xFE);  // off: the latest graphics show at once
    EXPECT_EQ(screen.Row(6), Line({{color, 40, 1}}));
  }
}

// VDELBL bit 0: the ball shows the state that ENABL had when GRP1 was last written.
TEST(TiaBall, VerticalDelayWaitsForPlayer1) {
  Screen screen;
  screen.Place(Object::kBall, 40);
  const std::string ball = Line({{'f', 40, 1}});
  screen.Write(kVdelbl, 0x01);
  screen.Write(kEnabl, 0x02);
  EXPECT_EQ(screen.Row(0), Line({}));
  screen.Write(kGrp0, 0x00);
  EXPECT_EQ(screen.Row(2), Line({}));
  screen.Write(kGrp1, 0x00);
  EXPECT_EQ(screen.Row(4), ball);
  screen.Write(kEnabl, 0x00);
  EXPECT_EQ(screen.Row(6), ball);
  screen.Write(kVdelbl, 0x00);
  EXPECT_EQ(screen.Row(8), Line({}));
}

// CTRLPF bits 4 and 5: 1, 2, 4 or 8 pixels, which wrap at the line's end.
TEST(TiaBall, HasFourSizes) {
  for (int size = 0; size < 4; ++size) {
    for (const int x : {40, 155}) {
      Screen screen;
      screen.Place(Object::kBall, x);
      screen.Write(kEnabl, 0x02);
      screen.Write(kCtrlpf, size << 4);
      EXPECT_EQ(screen.Row(0), Line({{'f', x, 1 << size}}));
    }
  }
}

// NUSIZ bits 4 and 5 set a missile's size. The low three bits set its copies as for a player, but
// do not stretch it.
TEST(TiaMissile, SizesAndCopies) {
  for (int size = 0; size < 4; ++size) {
    for (int copies = 0; copies < 8; ++copies) {
      for (const int missile : {0, 1}) {
        Screen screen;
        screen.Place(missile == 0 ? Object::kMissile0 : Object::kMissile1, 90);
        screen.Write(kEnam0 + missile, 0x02);
        screen.Write(kNusiz0 + missile, size << 4 | copies);
        std::string expected = Line({});
        for (const int copy : kCopies[copies]) {
          for (int i = 0; i < 1 << size; ++i) {
            expected[static_cast<std::size_t>((90 + copy + i) % 160)] = missile == 0 ? '0' : '1';
          }
        }
        EXPECT_EQ(screen.Row(0), expected) << size << " " << copies;
      }
    }
  }
}

// RESMP bit 1 hides a missile and locks it to its player. Unlocking moves it to the player's
// middle, 4, 8 or 16 pixels from the player's position.
TEST(TiaMissile, LetGoItStandsInItsPlayersMiddle) {
  for (int size = 0; size < 8; ++size) {
    for (const int missile : {0, 1}) {
      Screen screen;
      screen.Place(missile == 0 ? Object::kMissile0 : Object::kMissile1, 10);
      screen.Place(missile == 0 ? Object::kPlayer0 : Object::kPlayer1, 150);
      screen.Write(kEnam0 + missile, 0x02);
      screen.Write(kNusiz0 + missile, size);
      screen.Write(kResmp0 + missile, 0x02);
      EXPECT_EQ(screen.Row(0), Line({}));
      screen.Write(kResmp0 + missile, 0xFD);
      const int x = 150 + (size == 5 ? 8 : size == 7 ? 16 : 4);
      std::string expected = Line({});
      for (const int copy : kCopies[size]) {
        expected[static_cast<std::size_t>((x + copy) % 160)] = missile == 0 ? '0' : '1';
      }
      EXPECT_EQ(screen.Row(2), expected) << size;
    }
  }
}

// Unlocking a missile that is not locked does not move it.
TEST(TiaMissile, OnlyALockedMissileIsLetGo) {
  Screen screen;
  screen.Place(Object::kMissile0, 10);
  screen.Write(kEnam0, 0x02);
  screen.Write(kResmp0, 0x00);
  EXPECT_EQ(screen.Row(0), Line({{'0', 10, 1}}));
}

// RESP moves a player to five pixels right of the beam, or to pixel 3 in the blank.
TEST(TiaPosition, Resp) {
  for (int cycle = 0; cycle < 76; ++cycle) {
    for (const int player : {0, 1}) {
      Screen screen;
      screen.Write(kGrp0 + player, 0x80);
      screen.WriteAt(2, cycle, kResp0 + player, 0);
      const int x = cycle < 23 ? 3 : (3 * cycle - 68 + 5) % 160;
      EXPECT_EQ(screen.Row(3), Line({{player == 0 ? '0' : '1', x, 1}})) << cycle;
    }
  }
}

// RESM and RESBL move a missile or the ball to four pixels right of the beam, or to pixel 2 in the
// blank.
TEST(TiaPosition, ResmAndResbl) {
  for (int cycle = 0; cycle < 76; ++cycle) {
    const int x = cycle < 23 ? 2 : (3 * cycle - 68 + 4) % 160;
    for (const int which : {2, 3, 4}) {
      Screen screen;
      screen.Write(kEnam0 + which - 2, 0x02);
      screen.WriteAt(2, cycle, kResp0 + which, 0);
      EXPECT_EQ(screen.Row(3),
                Line({{std::array{'0', '1', 'f'}[static_cast<std::size_t>(which - 2)], x, 1}}))
          << cycle;
    }
  }
}

// A new position shows from the next line on. RESP hides the first copy in its own line.
TEST(TiaPosition, RespHidesTheFirstCopyOfItsLine) {
  Screen screen;
  screen.Place(Object::kPlayer0, 0);
  screen.Write(kGrp0, 0xFF);
  screen.Write(kNusiz0, 0x01);
  screen.WriteAt(2, 40, kResp0, 0);  // at pixel 52: the position is 57
  EXPECT_EQ(screen.Row(2), Line({{'0', 0, 8}, {'0', 16, 8}, {'0', 73, 8}}));
  EXPECT_EQ(screen.Row(3), Line({{'0', 57, 8}, {'0', 73, 8}}));
}

// If a copy starts two to five pixels right of the beam, RESP shows the first copy at its new
// position in the same line.
TEST(TiaPosition, RespJustBeforeACopyHidesNothing) {
  for (const int old : {57, 56, 55, 54}) {
    Screen screen;
    screen.Place(Object::kPlayer0, old);
    screen.Write(kGrp0, 0xFF);
    screen.WriteAt(2, 40, kResp0, 0);
    EXPECT_EQ(screen.Row(2), Line({{'0', 57, 8}})) << old;
  }
  // The same with a second copy.
  Screen screen;
  screen.Place(Object::kPlayer0, 39);
  screen.Write(kGrp0, 0xFF);
  screen.Write(kNusiz0, 0x01);
  screen.WriteAt(2, 40, kResp0, 0);
  EXPECT_EQ(screen.Row(2), Line({{'0', 39, 8}, {'0', 57, 8}, {'0', 73, 8}}));
}

// After RESP, a copy that has begun is drawn for eleven more clocks.
TEST(TiaPosition, RespLetsABegunCopyBeDrawn) {
  for (const int old : {46, 50, 53}) {  // 57 is 11 to 4 pixels further right
    Screen screen;
    screen.Place(Object::kPlayer0, old);
    screen.Write(kGrp0, 0xFF);
    screen.WriteAt(2, 40, kResp0, 0);
    EXPECT_EQ(screen.Row(2), Line({{'0', old, 8}})) << old;
    EXPECT_EQ(screen.Row(3), Line({{'0', 57, 8}})) << old;
  }
  Screen wide;
  wide.Place(Object::kPlayer0, 40);
  wide.Write(kGrp0, 0xFF);
  wide.Write(kNusiz0, 0x07);
  wide.WriteAt(2, 40, kResp0, 0);  // at pixel 52
  EXPECT_EQ(wide.Row(2), Line({{'0', 41, 22}}));
}

// A write to NUSIZ, even of the same value, or an HMOVE shows the hidden copy again in the same
// line.
TEST(TiaPosition, NusizAndHmoveShowAHiddenCopy) {
  Screen screen;
  screen.Write(kGrp0, 0xFF);
  screen.WriteAt(2, 40, kResp0, 0);   // at pixel 52: the position is 57
  screen.WriteAt(2, 43, kNusiz0, 0);  // visible from 69 on
  EXPECT_EQ(screen.Row(2), Line({{'0', 0, 8}}));
  screen.WriteAt(4, 50, kResp0, 0);  // the position is 87
  screen.WriteAt(4, 53, kHmove, 0);  // visible from 91 on
  EXPECT_EQ(screen.Row(4), Line({{'0', 57, 8}, {'0', 91, 4}}));
}

// RESM takes effect eight clocks later.
TEST(TiaPosition, ResmDrawsEightClocksMore) {
  Screen screen;
  screen.Place(Object::kMissile0, 50);
  screen.Write(kNusiz0, 0x30);
  screen.Write(kEnam0, 0x02);
  screen.WriteAt(2, 40, kResm0, 0);  // at pixel 52: moves to 56 at pixel 60
  EXPECT_EQ(screen.Row(2), Line({{'0', 50, 8}, {'0', 60, 4}}));
}

// Shortly after HMOVE, some positions are a few pixels further right.
TEST(TiaPosition, SpecialPositionsAfterHmove) {
  struct Special {
    int address, hmove, cycle, x, plain;
  };
  constexpr Special kSpecials[] = {
      {kResm0, 3, 23, 8, 5}, {kResm1, 3, 6, 3, 2},  {kResbl, 2, 20, 10, 2}, {kResbl, 5, 23, 10, 5},
      {kResbl, 3, 6, 3, 2},  {kResbl, 3, 10, 6, 2}, {kResbl, 3, 9, 5, 2}};
  for (const Special& special : kSpecials) {
    for (const int off : {0, 1}) {
      Screen screen;
      screen.Write(special.address - kResm0 + kEnam0, 0x02);
      screen.WriteAt(2, special.hmove - off, kHmove, 0);
      screen.WriteAt(2, special.cycle, special.address, 0);
      const char color =
          std::array{'0', '1', 'f'}[static_cast<std::size_t>(special.address - kResm0)];
      EXPECT_EQ(screen.Row(3), Line({{color, off == 0 ? special.x : special.plain, 1}}))
          << special.address << " " << special.cycle;
    }
  }
  // These special positions do not apply to the other objects.
  Screen screen;
  screen.Write(kEnam1, 0x02);
  screen.WriteAt(2, 3, kHmove, 0);
  screen.WriteAt(2, 23, kResm1, 0);
  EXPECT_EQ(screen.Row(3), Line({{'1', 5, 1}}));
  screen.WriteAt(5, 3, kHmove, 0);
  screen.WriteAt(5, 10, kResm1, 0);
  EXPECT_EQ(screen.Row(6), Line({{'1', 2, 1}}));
}

}  // namespace tia_objects_test
}  // namespace engine::atari2600::testing
