// The TIA's collision latches and what its read registers give.
#include <cstddef>
#include <string>

#include "tests/engine/emulators/atari2600/screen.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace tia_collision_test {

// How to switch on an object that stands at pixel 80. The playfield has a cell there.
struct Switch {
  const char* name;
  int address;
  int value;
};
constexpr Switch kP0{"P0", kGrp0, 0x80};
constexpr Switch kP1{"P1", kGrp1, 0x80};
constexpr Switch kM0{"M0", kEnam0, 0x02};
constexpr Switch kM1{"M1", kEnam1, 0x02};
constexpr Switch kBl{"BL", kEnabl, 0x02};
constexpr Switch kPf{"PF", kPf0, 0x10};

struct Latch {
  Switch first, second;
  int address;
  int bit;
};
constexpr Latch kLatches[15] = {
    {kM0, kP1, kCxm0p, 0x80},  {kM0, kP0, kCxm0p, 0x40},  {kM1, kP0, kCxm1p, 0x80},
    {kM1, kP1, kCxm1p, 0x40},  {kP0, kPf, kCxp0fb, 0x80}, {kP0, kBl, kCxp0fb, 0x40},
    {kP1, kPf, kCxp1fb, 0x80}, {kP1, kBl, kCxp1fb, 0x40}, {kM0, kPf, kCxm0fb, 0x80},
    {kM0, kBl, kCxm0fb, 0x40}, {kM1, kPf, kCxm1fb, 0x80}, {kM1, kBl, kCxm1fb, 0x40},
    {kBl, kPf, kCxblpf, 0x80}, {kP0, kP1, kCxppmm, 0x80}, {kM0, kM1, kCxppmm, 0x40}};

// All objects at 80, switched off.
Screen AllAt80() {
  Screen screen;
  for (const Object thing :
       {Object::kPlayer0, Object::kPlayer1, Object::kMissile0, Object::kMissile1, Object::kBall}) {
    screen.Place(thing, 80);
  }
  return screen;
}

// Expects that only `latch` is set in the eight collision registers.
void ExpectOnly(Screen& screen, const Latch* latch, const std::string& words) {
  for (int address = kCxm0p; address <= kCxppmm; ++address) {
    const int expected = latch != nullptr && latch->address == address ? latch->bit : 0;
    EXPECT_EQ(screen.Read(address), expected) << words << " " << address;
  }
}

std::string Name(const Latch& latch) {
  return std::string(latch.first.name) + "-" + latch.second.name;
}

// Each pair of objects has a latch of its own.
TEST(TiaCollision, EachPairHasItsLatch) {
  for (const Latch& latch : kLatches) {
    Screen screen = AllAt80();
    screen.GotoRow(0, 0);
    screen.Write(latch.first.address, latch.first.value);
    screen.Write(latch.second.address, latch.second.value);
    screen.GotoRow(1, 0);
    ExpectOnly(screen, &latch, Name(latch));
  }
}

// A single object sets no latch.
TEST(TiaCollision, OneObjectSetsNothing) {
  for (const Switch& object : {kP0, kP1, kM0, kM1, kBl, kPf}) {
    Screen screen = AllAt80();
    screen.GotoRow(0, 0);
    screen.Write(object.address, object.value);
    screen.GotoRow(5, 0);
    ExpectOnly(screen, nullptr, object.name);
  }
}

// Adjacent objects do not collide.
TEST(TiaCollision, NeighboursDoNotTouch) {
  Screen screen;
  screen.Place(Object::kPlayer0, 80);
  screen.Place(Object::kPlayer1, 88);
  screen.GotoRow(0, 0);
  screen.Write(kGrp0, 0xFF);
  screen.Write(kGrp1, 0xFF);
  screen.GotoRow(3, 0);
  ExpectOnly(screen, nullptr, "neighbours");
}

// A latch is set when the beam reaches the objects, not before. The beam has passed pixel 80 at
// clock 149.
TEST(TiaCollision, TheBeamSetsIt) {
  for (const int cycle : {49, 50}) {  // clocks 147 and 150
    Screen screen = AllAt80();
    screen.GotoRow(0, 0);
    screen.Write(kGrp0, 0x80);
    screen.Write(kGrp1, 0x80);
    screen.GotoRow(0, cycle);
    EXPECT_EQ(screen.Read(kCxppmm), cycle == 49 ? 0x00 : 0x80) << cycle;
  }
}

// An object collides even if another object covers it in the picture.
TEST(TiaCollision, PriorityDoesNotMatter) {
  for (const int control : {0x00, 0x02, 0x04, 0x06}) {
    Screen screen = AllAt80();
    screen.GotoRow(0, 0);
    screen.Write(kCtrlpf, control);
    for (const Switch& object : {kP0, kP1, kM0, kM1, kBl, kPf}) {
      screen.Write(object.address, object.value);
    }
    screen.GotoRow(1, 0);
    for (int address = kCxm0p; address <= kCxppmm; ++address) {
      EXPECT_EQ(screen.Read(address), address == kCxblpf ? 0x80 : 0xC0)
          << control << " " << address;
    }
  }
}

// Nothing collides while VBLANK blanks the picture.
TEST(TiaCollision, NoneDuringVblank) {
  for (const Latch& latch : kLatches) {
    Screen screen = AllAt80();
    screen.GotoRow(0, 0);
    screen.Write(kVblank, 0x02);
    screen.Write(latch.first.address, latch.first.value);
    screen.Write(latch.second.address, latch.second.value);
    screen.GotoRow(3, 0);
    ExpectOnly(screen, nullptr, Name(latch));
    screen.Write(kVblank, 0x00);
    screen.GotoRow(4, 0);
    ExpectOnly(screen, &latch, Name(latch));
  }
}

// Nothing collides above or below the visible lines.
TEST(TiaCollision, NoneOutsideOfTheShownLines) {
  Screen screen = AllAt80();
  screen.Write(kGrp0, 0x80);
  screen.Write(kGrp1, 0x80);
  screen.GotoRow(0, 0);
  EXPECT_EQ(screen.Read(kCxppmm), 0x00);
  screen.GotoRow(0, 60);
  EXPECT_EQ(screen.Read(kCxppmm), 0x80);
  screen.GotoRow(20, 0);
  screen.Write(kCxclr, 0);
  screen.GotoRow(40, 0);
  EXPECT_EQ(screen.Read(kCxppmm), 0x00);
}

// CXCLR clears all latches at the clock of the write. The next collision sets them again.
TEST(TiaCollision, CxclrClearsThem) {
  Screen screen = AllAt80();
  screen.GotoRow(0, 0);
  screen.Write(kGrp0, 0x80);
  screen.Write(kGrp1, 0x80);
  screen.GotoRow(1, 60);
  screen.Write(kCxclr, 0);
  ExpectOnly(screen, nullptr, "cleared");
  screen.GotoRow(2, 60);
  EXPECT_EQ(screen.Read(kCxppmm), 0x80);
}

// Latches stay set after the objects have parted, also in later frames.
TEST(TiaCollision, LatchesStay) {
  Screen screen = AllAt80();
  screen.GotoRow(0, 0);
  screen.Write(kGrp0, 0x80);
  screen.Write(kGrp1, 0x80);
  screen.GotoRow(1, 0);
  screen.Write(kGrp0, 0x00);
  EXPECT_EQ(screen.Read(kCxppmm), 0x80);
  screen.NextFrame();
  EXPECT_EQ(screen.Read(kCxppmm), 0x80);
}

// A locked missile does not collide, nor does a ball whose delayed enable bit is off.
TEST(TiaCollision, WhatIsOffTouchesNothing) {
  Screen screen = AllAt80();
  screen.GotoRow(0, 0);
  screen.Write(kGrp0, 0x80);
  screen.Write(kEnam0, 0x02);
  screen.Write(kResmp0, 0x02);
  screen.Write(kVdelbl, 0x01);
  screen.Write(kEnabl, 0x02);
  screen.GotoRow(2, 0);
  ExpectOnly(screen, nullptr, "off");
}

// A register drives its two highest bits or one of them, and the bus gives the other bits.
// Registers 14 and 15 drive none.
TEST(TiaRead, TheOtherBitsAreTheBuss) {
  for (int address = 0; address < 16; ++address) {
    Screen screen;
    TiaInputs inputs;
    inputs.button_up[0] = inputs.button_up[1] = false;
    for (const int bus : {0x00, 0xFF, 0xA5, 0x5A}) {
      EXPECT_EQ(screen.Read(address, inputs, bus), bus & 0x3F) << address;
    }
  }
  Screen screen = AllAt80();
  screen.GotoRow(0, 0);
  for (const Switch& object : {kP0, kP1, kM0, kM1, kBl, kPf}) {
    screen.Write(object.address, object.value);
  }
  screen.GotoRow(1, 0);
  for (int address = kCxm0p; address <= kCxppmm; ++address) {
    EXPECT_EQ(screen.Read(address, {}, 0xFF), address == kCxblpf ? 0xBF : 0xFF) << address;
  }
}

// The buttons: bit 7 is 0 while pressed.
TEST(TiaRead, Buttons) {
  Screen screen;
  for (const int button : {0, 1}) {
    TiaInputs inputs;
    inputs.button_up[button] = false;
    EXPECT_EQ(screen.Read(kInpt4 + button, inputs), 0x00);
    EXPECT_EQ(screen.Read(kInpt5 - button, inputs), 0x80);
  }
}

// An analog input reads full when more than its number of cycles have passed since a write cleared
// VBLANK bit 7. While the bit is set, it grounds the capacitors and the inputs read empty.
TEST(TiaRead, CapacitorsChargeSinceTheyWereLetGo) {
  for (int input = 0; input < 4; ++input) {
    TiaInputs inputs;
    inputs.charge_cycles[input] = 500;
    Screen screen;
    screen.Goto(50, 0);
    screen.Write(kVblank, 0x80);
    screen.Goto(60, 0);
    EXPECT_EQ(screen.Read(kInpt0 + input, inputs), 0x00);
    screen.Write(kVblank, 0x00);  // at 60 x 76
    screen.Goto(60, 500);
    EXPECT_EQ(screen.Read(kInpt0 + input, inputs), 0x00);
    screen.Goto(60, 501);
    EXPECT_EQ(screen.Read(kInpt0 + input, inputs), 0x80);
    screen.Goto(70, 0);
    screen.Write(kVblank, 0x02);  // blanking alone does not ground them
    EXPECT_EQ(screen.Read(kInpt0 + input, inputs), 0x80);
    for (int other = 0; other < 4; ++other) {
      if (other != input) {
        EXPECT_EQ(screen.Read(kInpt0 + other, inputs), 0x00);
      }
    }
  }
}

// The charge starts only when VBLANK bit 7 changes from 1 to 0.
TEST(TiaRead, WritesThatLetNothingGoDoNotStartTheCharge) {
  TiaInputs inputs;
  inputs.charge_cycles[0] = 500;
  Screen screen;
  screen.Write(kVblank, 0x80);
  screen.Goto(60, 0);
  screen.Write(kVblank, 0x00);
  screen.Goto(60, 400);
  screen.Write(kVblank, 0x00);
  screen.Goto(60, 501);
  EXPECT_EQ(screen.Read(kInpt0, inputs), 0x80);
}

// An open input never charges. An input without resistance reads full, even while VBLANK grounds
// it.
TEST(TiaRead, OpenAndShortedInputs) {
  TiaInputs inputs;
  inputs.charge_cycles[1] = TiaInputs::kAlways;
  Screen screen;
  screen.Goto(100, 0);
  EXPECT_EQ(screen.Read(kInpt0, inputs), 0x00);
  EXPECT_EQ(screen.Read(kInpt1, inputs), 0x80);
  screen.Write(kVblank, 0x80);
  EXPECT_EQ(screen.Read(kInpt1, inputs), 0x80);
}

// The charge continues in the next frame, but a capacitor that was full before this frame began
// reads as empty in it.
TEST(TiaRead, AFrameForgetsFullCapacitors) {
  TiaInputs inputs;
  inputs.charge_cycles[0] = 50;    // full at cycle 753 of the first frame
  inputs.charge_cycles[1] = 5000;  // full at cycle 703 of the next one
  Screen screen;
  screen.Write(kVblank, 0x80);
  screen.Goto(0, 700);
  screen.Write(kVblank, 0x00);
  screen.Goto(0, 4997);
  EXPECT_EQ(screen.Read(kInpt0, inputs), 0x80);
  EXPECT_EQ(screen.Read(kInpt1, inputs), 0x00);
  screen.NextFrame();
  screen.At(703);
  EXPECT_EQ(screen.Read(kInpt0, inputs), 0x00);
  EXPECT_EQ(screen.Read(kInpt1, inputs), 0x00);
  screen.At(704);
  EXPECT_EQ(screen.Read(kInpt0, inputs), 0x00);
  EXPECT_EQ(screen.Read(kInpt1, inputs), 0x80);
}

}  // namespace tia_collision_test
}  // namespace engine::atari2600::testing
