// Programs that no cartridge contains: random bytes, jumps to arbitrary addresses, endless loops, a
// stack in the TIA. For all of them, a frame takes bounded work and memory accesses stay within
// bounds. ASan and UBSan check the accesses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "engine/base/error.h"
#include "engine/emulators/atari2600/cartridge.h"
#include "engine/emulators/atari2600/console.h"
#include "tests/engine/emulators/atari2600/programs.h"
#include "tests/engine/emulators/atari2600/registers.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace hostile_test {

// An instruction takes at most eight cycles, one more for a page crossing, and one line for WSYNC.
constexpr std::int64_t kMaxCyclesPerFrame = std::int64_t{Console::kMaxInstructions} * (9 + 76);

// Runs frames and checks the invariants of any program after each frame.
void RunFrames(Console& console, int frames, std::mt19937& random, const std::string& what) {
  for (int frame = 0; frame < frames; ++frame) {
    if (frame % 8 == 0) console.inputs() = RandomInputs(random);
    const ConsoleState& state = console.state();
    const std::int64_t before = state.in_frame ? state.cycles : 0;
    console.RunFrame();
    const bool bounded = state.cycles >= before && state.cycles - before <= kMaxCyclesPerFrame;
    const bool placed = console.scanline() >= 0 && state.tia.ClockOfLine(state.cycles) < 228;
    unsigned sum = 0;  // reads every byte that the console exposes
    for (const std::uint8_t pixel : console.pixels()) sum += pixel;
    for (int address = 0; address < 0x4000; address += 61) sum += console.Peek(address);
    for (int i = 0; i < kRamSize; ++i) sum += console.ram()[i];
    const bool sized = console.pixels().size() == static_cast<std::size_t>(console.lines()) * 160;
    EXPECT_TRUE(bounded && placed && sized && sum < ~0u)
        << what << ", frame " << frame << ", cycles " << before << " to " << state.cycles;
    if (!(bounded && placed && sized)) return;
  }
}

// Arbitrary bytes, also in the reset vector. Most programs soon reach an opcode that halts the
// processor.
TEST(Hostile, RandomBytesOfEveryMapper) {
  std::mt19937 random(1);
  int jammed = 0;
  for (const Mapper mapper : kAllMappers) {
    for (int seed = 0; seed < 40; ++seed) {
      Bytes rom(RomSize(mapper));
      for (std::uint8_t& byte : rom) byte = static_cast<std::uint8_t>(random());
      const auto console = ConsoleWith(mapper, rom, random);
      RunFrames(*console, 30, random, std::string(MapperName(mapper)));
      jammed += console->jammed() ? 1 : 0;
    }
  }
  EXPECT_GT(jammed, 100);
}

// Random bytes without the opcodes that halt the processor, and with many writes to the TIA.
TEST(Hostile, LivelyBytesOfEveryMapper) {
  std::mt19937 random(2);
  int jammed = 0;
  for (const Mapper mapper : kAllMappers) {
    for (int seed = 0; seed < 12; ++seed) {
      const auto console = ConsoleWith(mapper, LivelyRom(mapper, random), random);
      RunFrames(*console, 60, random, std::string(MapperName(mapper)));
      jammed += console->jammed() ? 1 : 0;
    }
  }
  EXPECT_LT(jammed, 9 * 12);
}

// Execution from the TIA, RAM and the RIOT, across their ends and across the end of the address
// space.
TEST(Hostile, JumpsOutOfTheCartridge) {
  std::mt19937 random(3);
  for (const int start : {0x0000, 0x000F, 0x003F, 0x007E, 0x0080, 0x00FF, 0x0180, 0x0280, 0x0284,
                          0x02FF, 0x0FFF, 0x1FFF, 0x2000, 0x7FFF, 0xEFFF, 0xFFFE, 0xFFFF}) {
    for (int seed = 0; seed < 6; ++seed) {
      const auto console =
          ConsoleWith(Mapper::k4K, Rom(LivelyRom(Mapper::k2K, random), start), random);
      for (int i = 0; i < kRamSize; ++i) {
        console->set_ram(i, static_cast<std::uint8_t>(random()));
        while (Jams(console->ram()[i])) console->set_ram(i, static_cast<std::uint8_t>(random()));
      }
      RunFrames(*console, 10, random, "start at " + std::to_string(start));
    }
  }
}

// A loop that never accesses the TIA is stopped after kMaxInstructions. The picture loses its
// color once.
TEST(Hostile, AnEndlessLoopIsStopped) {
  std::mt19937 random(4);
  const auto console = ConsoleWith(Mapper::k4K, Rom({0x4C, 0x00, 0xF0}), random);  // JMP
  for (int frame = 1; frame <= 10; ++frame) {
    console->RunFrame();
    EXPECT_EQ(console->state().cycles, 3 * Console::kMaxInstructions * frame);
    EXPECT_EQ(console->state().cpu.pc, 0xF000);
    EXPECT_TRUE(console->state().in_frame);
    EXPECT_TRUE(console->state().greyed);
    EXPECT_FALSE(console->jammed());
  }
}

// An endless loop may be stepped without limit: here until its count of color clocks exceeds 31
// bits. Its later writes stay within bounds, too.
TEST(Hostile, AnEndlessLoopMayGoOnForever) {
  Bytes program;
  for (int i = 0; i < 1300; ++i) program.insert(program.end(), {0x1E, 0x00, 0xF0});  // ASL F000,X
  const Bytes end = {0xA5, 0x80,                                                     // LDA $80
                     0xD0, 0x03,                                                     // BNE over
                     0x4C, 0x00, 0xF0,                                               // JMP F000
                     0x85, 0x10, 0x85, 0x12, 0x85, 0x14,  // over: STA RESP0, RESM0, RESBL
                     0x85, 0x2A, 0x85, 0x0D, 0x85, 0x0A,  // STA HMOVE, PF0, CTRLPF
                     0x85, 0x02, 0xA5, 0x00,              // STA WSYNC, LDA CXM0P
                     0x4C, 0x00, 0xF0};
  program.insert(program.end(), end.begin(), end.end());
  std::mt19937 random(5);
  const auto console = ConsoleWith(Mapper::k4K, Rom(program), random);
  console->set_ram(0x80, 0);
  int least = 0;
  for (int frame = 0; frame < 4200; ++frame) {
    console->RunFrame();
    least = std::min(least, console->scanline());
  }
  EXPECT_EQ(least, 0) << "a scanline before the first one";
  if (least < 0) return;  // the writes would be out of bounds
  console->set_ram(0x80, 1);
  RunFrames(*console, 20, random, "after the loop");
}

// An endless loop of WSYNC: each frame ends after 291 lines.
TEST(Hostile, EndlessWsyncEndsFrames) {
  std::mt19937 random(6);
  const auto console = ConsoleWith(Mapper::k4K, Rom({0x85, 0x02, 0x4C, 0x00, 0xF0}), random);
  for (int frame = 0; frame < 50; ++frame) {
    console->RunFrame();
    EXPECT_FALSE(console->state().in_frame);
    EXPECT_GE(console->scanline(), 291);
    EXPECT_LE(console->scanline(), 293);
  }
}

// Frames whose total count of cycles since power-on exceeds 31 bits.
TEST(Hostile, AnEpisodeMayLastLonger) {
  std::mt19937 random(7);
  TiaSetup setup;
  setup.lines = 1;
  for (const Mapper mapper : {Mapper::k4K}) {
    const auto console = ConsoleWith(mapper, Rom({0x85, 0x02, 0x4C, 0x00, 0xF0}), random, setup);
    std::int64_t cycles = 0;
    int frames = 0;
    while (cycles < (std::int64_t{1} << 31) + 1'000'000 && frames < 200'000) {
      console->RunFrame();
      cycles += console->state().cycles;
      ++frames;
    }
    EXPECT_LT(frames, 100'000);
    EXPECT_FALSE(console->state().in_frame);
  }
}

// Every instruction that uses the stack, with every value of the stack pointer.
TEST(Hostile, TheStackInTheTia) {
  std::mt19937 random(8);
  for (int sp = 0; sp < 256; ++sp) {
    Bytes program = {0xA2, static_cast<std::uint8_t>(sp), 0x9A};  // LDX #sp, TXS
    constexpr std::uint8_t kCodes[] = {0x48, 0x08, 0x68, 0x28, 0x00, 0x60, 0x40, 0xBA, 0x9A};
    for (int i = 0; i < 600; ++i) {
      const std::uint8_t code = kCodes[random() % 9];
      program.push_back(code);
      if (random() % 8 == 0) program.insert(program.end(), {0x20, 0x00, 0xF1});  // JSR F100
    }
    const auto console = ConsoleWith(Mapper::k4K, Rom(program), random);
    RunFrames(*console, 2, random, "stack at " + std::to_string(sp));
  }
}

// After an opcode that halts the processor, the program counter stays and frames take no time until
// the console is reset.
TEST(Hostile, JamStopsTheProcessor) {
  std::mt19937 random(9);
  int jams = 0;
  for (int code = 0; code < 256; ++code) {
    if (!Jams(static_cast<std::uint8_t>(code))) continue;
    ++jams;
    const auto console =
        ConsoleWith(Mapper::k4K, Rom({0xEA, static_cast<std::uint8_t>(code)}), random);
    console->RunFrame();
    EXPECT_TRUE(console->jammed()) << code;
    EXPECT_EQ(console->state().cpu.pc, 0xF001) << code;
    const std::int32_t cycles = console->state().cycles;
    EXPECT_LT(cycles, 10);
    console->RunFrame();
    EXPECT_EQ(console->state().cycles, cycles);
    EXPECT_FALSE(console->StepInstruction());
    EXPECT_EQ(console->state().cpu.pc, 0xF001);
    console->Reset(random);
    EXPECT_FALSE(console->jammed());
  }
  EXPECT_EQ(jams, 12);
}

// Writes to any register at any cycle, also several at once, in frames of any length.
TEST(Hostile, RandomRegistersAtEveryClock) {
  std::mt19937 random(10);
  for (const int first_line : {0, 5, 34}) {
    const TiaSetup setup{.first_line = first_line, .lines = 60, .max_lines = 80};
    Tia tia;
    Picture picture(setup.lines);
    tia.Reset(setup, 0);
    tia.StartFrame(0);
    std::int32_t cycles = 0;
    int frames = 0;
    for (int i = 0; i < 400'000; ++i) {
      cycles += static_cast<std::int32_t>(random() % 5);
      if (random() % 500 == 0) cycles += static_cast<std::int32_t>(random() % 10'000);
      bool ends = false;
      if (random() % 10 == 0) {
        tia.Read(static_cast<int>(random() % 16), 0xFF, cycles, {}, picture);
      } else {
        ends = tia.Write(static_cast<int>(random() % 64), static_cast<std::uint8_t>(random()),
                         cycles, picture);
      }
      if (!ends) continue;
      ++frames;
      tia.EndFrame(cycles);
      tia.CatchUp(picture);
      picture.Swap();
      tia.StartFrame(cycles);
      cycles = 0;
    }
    EXPECT_GT(frames, 100);
    EXPECT_EQ(tia.collisions() & 0x8000, 0);
  }
}

// Images of any other size are rejected.
TEST(Hostile, ImagesOfAWrongSize) {
  for (const Mapper mapper : kAllMappers) {
    const std::size_t size = RomSize(mapper);
    for (const std::size_t wrong :
         {std::size_t{0}, std::size_t{1}, size - 1, size + 257, 2 * size}) {
      EXPECT_THROW_MESSAGE(Cartridge(mapper, Bytes(wrong)), Error, "rom: expected");
    }
    EXPECT_EQ(Cartridge(mapper, Bytes(size)).mapper(), mapper);
  }
}

}  // namespace hostile_test
}  // namespace engine::atari2600::testing
