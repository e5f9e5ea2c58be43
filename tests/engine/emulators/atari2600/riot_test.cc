// The RIOT: timer, ports, and the addresses at which memory is mirrored.
#include "engine/emulators/atari2600/riot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/emulators/atari2600/console.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace riot_test {

enum : int { kSwcha = 0x280, kSwacnt, kSwchb, kSwbcnt, kIntim, kTimint };
constexpr int kIntervals[4] = {1, 8, 64, 1024};

constexpr int kSetAt = 1000;

// A timer with an interval of kIntervals[which] that was set to `value` at cycle kSetAt.
Riot TimerAt(int which, int value) {
  Riot riot;
  riot.Reset(50);
  riot.Write(0x294 + which, static_cast<std::uint8_t>(value), kSetAt);
  return riot;
}

int TimerOf(Riot& riot, int cycles) { return riot.Read(kIntim, cycles, {}); }
int FlagOf(Riot& riot, int cycles) { return riot.Read(kTimint, cycles, {}); }

// The timer decrements one cycle after it was set, and then once per interval.
TEST(RiotTimer, CountsDownByIntervals) {
  for (int which = 0; which < 4; ++which) {
    Riot riot = TimerAt(which, 200);
    const int interval = kIntervals[which];
    const int step = interval == 1024 ? 37 : 1;  // tests every 37th cycle
    for (int cycle = 1; cycle <= 200 * interval; cycle += step) {
      EXPECT_EQ(TimerOf(riot, kSetAt + cycle), 199 - (cycle - 1) / interval)
          << interval << " " << cycle;
    }
  }
}

// After expiry, the timer decrements once per cycle, and once more per interval. The test reads a
// new timer at each cycle, so that every read is the first one.
TEST(RiotTimer, ExpiredItCountsCycles) {
  for (int which = 0; which < 4; ++which) {
    const int end = kSetAt + 1 + 3 * kIntervals[which];  // the first cycle after expiry
    for (int cycle = 0; cycle < 600; ++cycle) {
      Riot riot = TimerAt(which, 3);
      const int value = -1 - cycle - cycle / kIntervals[which];
      EXPECT_EQ(TimerOf(riot, end + cycle), static_cast<std::uint8_t>(value))
          << which << " " << cycle;
    }
  }
  Riot riot = TimerAt(2, 3);
  EXPECT_EQ(TimerOf(riot, kSetAt + 1 + 3 * 64 + 40), 215);
}

// After its first read past expiry, the timer decrements only once per interval.
TEST(RiotTimer, AReadAfterExpiryBringsTheIntervalsBack) {
  for (int which = 0; which < 4; ++which) {
    for (const int first : {1, 40, 700}) {
      Riot riot = TimerAt(which, 3);
      const int interval = kIntervals[which];
      const int end = kSetAt + 1 + 3 * interval;
      int value = TimerOf(riot, end + first);
      for (int cycle = first + 1; cycle < 3000; ++cycle) {
        if (cycle % interval == 0) value = (value + 255) % 256;
        EXPECT_EQ(TimerOf(riot, end + cycle), value) << which << " " << first << " " << cycle;
      }
    }
  }
}

// The interrupt flag is set from expiry until the timer is read. Reading the flag does not clear
// it.
TEST(RiotTimer, TheFlagIsUpUntilTheTimerIsRead) {
  for (int which = 0; which < 4; ++which) {
    Riot riot = TimerAt(which, 3);
    const int end = kSetAt + 1 + 3 * kIntervals[which];
    EXPECT_EQ(FlagOf(riot, kSetAt + 1), 0x00);
    EXPECT_EQ(FlagOf(riot, end - 1), 0x00);
    EXPECT_EQ(FlagOf(riot, end), 0x80);
    EXPECT_EQ(FlagOf(riot, end + 500), 0x80);
    TimerOf(riot, end + 501);
    EXPECT_EQ(FlagOf(riot, end + 502), 0x00);
    EXPECT_EQ(FlagOf(riot, end + 5000), 0x00);
  }
}

// A read of the timer in the first cycle after expiry does not clear the flag.
TEST(RiotTimer, TheFirstCycleAfterExpiryKeepsTheFlag) {
  for (int which = 0; which < 4; ++which) {
    Riot riot = TimerAt(which, 3);
    const int end = kSetAt + 1 + 3 * kIntervals[which];
    EXPECT_EQ(TimerOf(riot, end), 255);
    EXPECT_EQ(FlagOf(riot, end + 1), 0x80);
    EXPECT_EQ(TimerOf(riot, end + 1), which == 0 ? 253 : 254);
    EXPECT_EQ(FlagOf(riot, end + 2), 0x00);
  }
}

// Setting the timer clears the flag and restarts the count.
TEST(RiotTimer, SettingItStartsAfresh) {
  Riot riot = TimerAt(0, 3);
  EXPECT_EQ(FlagOf(riot, kSetAt + 100), 0x80);
  TimerOf(riot, kSetAt + 100);
  riot.Write(0x296, 10, kSetAt + 200);
  EXPECT_EQ(FlagOf(riot, kSetAt + 201), 0x00);
  EXPECT_EQ(TimerOf(riot, kSetAt + 201), 9);
  EXPECT_EQ(TimerOf(riot, kSetAt + 264), 9);
  EXPECT_EQ(TimerOf(riot, kSetAt + 265), 8);
  EXPECT_EQ(FlagOf(riot, kSetAt + 201 + 640), 0x80);
}

// After power-on the timer runs at 64 cycles per interval from a random value.
TEST(RiotTimer, RunsFromTheStart) {
  Riot riot;
  riot.Reset(30);
  EXPECT_EQ(TimerOf(riot, 1), 29);
  EXPECT_EQ(TimerOf(riot, 64), 29);
  EXPECT_EQ(TimerOf(riot, 65), 28);
}

// A new frame resets the count of cycles. The timer continues.
TEST(RiotTimer, GoesOnAcrossFrames) {
  for (int which = 0; which < 4; ++which) {
    for (const bool read : {false, true}) {
      Riot whole = TimerAt(which, 20);
      Riot split = whole;
      const int early = kSetAt + 21 * kIntervals[which];
      if (read) {
        EXPECT_EQ(TimerOf(whole, early + 300), TimerOf(split, early + 300));
      }
      split.StartFrame(early + 400);
      for (int cycle = early + 400; cycle < early + 1000; ++cycle) {
        EXPECT_EQ(TimerOf(split, cycle - early - 400), TimerOf(whole, cycle)) << which;
        EXPECT_EQ(FlagOf(split, cycle - early - 400), FlagOf(whole, cycle)) << which;
      }
    }
  }
}

// Port A reads the controllers, port B the switches. Writes do not change these reads. The
// direction register of port A can be read back. Port B is always input.
TEST(RiotPorts, ReadTheInputs) {
  Riot riot;
  riot.Reset(50);
  const RiotInputs inputs{.port_a = 0x5A, .switches = 0xC3};
  EXPECT_EQ(riot.Read(kSwcha, 10, inputs), 0x5A);
  EXPECT_EQ(riot.Read(kSwchb, 10, inputs), 0xC3);
  EXPECT_EQ(riot.Read(kSwacnt, 10, inputs), 0x00);
  for (int address = kSwcha; address < kIntim; ++address) riot.Write(address, 0xFF, 10);
  EXPECT_EQ(riot.Read(kSwcha, 10, inputs), 0x5A);
  EXPECT_EQ(riot.Read(kSwacnt, 10, inputs), 0xFF);
  EXPECT_EQ(riot.Read(kSwchb, 10, inputs), 0xC3);
  EXPECT_EQ(riot.Read(kSwbcnt, 10, inputs), 0x00);
}

// A write to the edge detection registers, 0x284 to 0x287, has no effect. It must not set a timer.
TEST(RiotPorts, EdgeDetectionSetsNoTimer) {
  for (int address = 0x284; address < 0x288; ++address) {
    Riot riot = TimerAt(2, 100);
    riot.Write(address, 5, kSetAt + 1);
    EXPECT_EQ(TimerOf(riot, kSetAt + 2), 99);
  }
}

// Read registers repeat every eight bytes. The timers' write registers repeat every eight bytes
// where bit 4 is set.
TEST(RiotPorts, RegistersRepeat) {
  const RiotInputs inputs{.port_a = 0x5A, .switches = 0xC3};
  for (int address = 0x280; address < 0x300; ++address) {
    Riot riot = TimerAt(3, 77);
    const int expected[8] = {0x5A, 0x00, 0xC3, 0x00, 76, 0x00, 76, 0x00};
    EXPECT_EQ(riot.Read(address, kSetAt + 1, inputs), expected[address & 7]) << address;
    riot.Write(address, 9, kSetAt + 1);
    const bool timer = (address & 0x14) == 0x14;
    EXPECT_EQ(TimerOf(riot, kSetAt + 2), timer ? 8 : 76) << address;
    EXPECT_EQ(riot.Read(kSwacnt, kSetAt + 2, inputs), !timer && (address & 7) == 1 ? 9 : 0)
        << address;
  }
}

// A console with this program at 0xF000, the address in its reset vector.
class Machine {
 public:
  explicit Machine(const std::vector<std::uint8_t>& program) : random_(1) {
    std::vector<std::uint8_t> rom(4096, 0xEA);
    std::copy(program.begin(), program.end(), rom.begin());
    rom[0xFFC] = 0x00;
    rom[0xFFD] = 0xF0;
    console_ = std::make_unique<Console>(std::make_shared<const Cartridge>(Mapper::k4K, rom),
                                         TiaSetup{}, random_);
    console_->Reset(random_);
  }
  Console& console() { return *console_; }

 private:
  std::mt19937 random_;
  std::unique_ptr<Console> console_;
};

// The 128 bytes of RAM are mirrored wherever address bits 12 and 9 are 0 and bit 7 is 1.
TEST(RiotMemory, MirrorsAreOneMemory) {
  for (int high = 0; high < 16; high += 1) {  // the high byte of 0x0080, 0x0180, ..., 0x0F80
    for (const int low : {0x80, 0xA5, 0xFF}) {
      const bool memory = (high & 0x2) == 0;
      Machine machine({0xA9, 0x3C, 0x8D, static_cast<std::uint8_t>(low),
                       static_cast<std::uint8_t>(high)});  // LDA #$3C, STA abs
      Console& console = machine.console();
      console.set_ram(low, 0x11);
      console.StepInstruction();
      console.StepInstruction();
      EXPECT_EQ(console.ram()[low & 0x7F], memory ? 0x3C : 0x11) << high << " " << low;
    }
  }
}

// Reads through the mirrors and through the stack return the same bytes.
TEST(RiotMemory, MirrorsReadTheSame) {
  for (const int high : {0x00, 0x01, 0x04, 0x05, 0x08, 0x0D, 0x20, 0xE1}) {
    Machine machine({0xAD, 0xC7, static_cast<std::uint8_t>(high)});  // LDA abs
    Console& console = machine.console();
    console.set_ram(0xC7, 0x42);
    console.StepInstruction();
    EXPECT_EQ(console.state().cpu.a, 0x42) << high;
  }
  Machine machine({0xA2, 0xC6, 0x9A, 0x68});  // LDX #$C6, TXS, PLA
  Console& console = machine.console();
  console.set_ram(0xC7, 0x42);
  for (int i = 0; i < 3; ++i) console.StepInstruction();
  EXPECT_EQ(console.state().cpu.a, 0x42);
}

// A reset does not change RAM, and draws a new timer value from 25 to 99.
TEST(RiotMemory, ResetLeavesMemoryAlone) {
  std::mt19937 random(7);
  Machine machine({0xAD, 0x84, 0x02});  // LDA INTIM
  Console& console = machine.console();
  for (int address = 0; address < kRamSize; ++address) {
    console.set_ram(address, static_cast<std::uint8_t>(3 * address));
  }
  int least = 255;
  int most = 0;
  for (int i = 0; i < 500; ++i) {
    console.Reset(random);
    console.StepInstruction();
    least = std::min<int>(least, console.state().cpu.a);
    most = std::max<int>(most, console.state().cpu.a);
  }
  EXPECT_EQ(least, 24);  // read one cycle later: one less than drawn
  EXPECT_EQ(most, 98);
  for (int address = 0; address < kRamSize; ++address) {
    EXPECT_EQ(console.ram()[address], static_cast<std::uint8_t>(3 * address));
  }
}

}  // namespace riot_test
}  // namespace engine::atari2600::testing
