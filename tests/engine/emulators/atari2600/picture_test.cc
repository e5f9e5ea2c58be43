// The console usually has a single buffer for its picture. For all programs, frames, restores and
// steps, it must show the same as a console that always has two buffers. TwoBuffers implements that
// console in the simplest way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "engine/emulators/atari2600/machine.h"
#include "tests/engine/emulators/atari2600/programs.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace picture_test {

// A console that always has two buffers. It runs the engine's machine and picks the buffer itself.
struct TwoBuffers {
  TwoBuffers(std::shared_ptr<const Cartridge> with, const ConsoleState& from)
      : cartridge(std::move(with)),
        state(from),
        shown(state.tia.setup().lines),
        other(state.tia.setup().lines) {}

  void Reset(const ConsoleState& from) {
    state = from;
    shown = Picture(state.tia.setup().lines);
    other = Picture(state.tia.setup().lines);
  }

  void BeginFrame() {
    if (state.cycles > Console::kMaxCycles) state.in_frame = false;
    if (state.in_frame) return;
    std::swap(shown, other);
    state.tia.StartFrame(state.cycles);
    state.riot.StartFrame(state.cycles);
    state.cartridge.dpc.StartFrame(state.cycles);
    state.cycles = 0;
    state.greyed = false;
    state.in_frame = true;
  }

  RunEnd Run(int instructions) {
    if (state.jammed) return RunEnd::kJammed;
    const RunEnd end = WithMapper(cartridge->mapper(), [&]<Mapper kMapper>() {
      return RunMachine<kMapper>(*cartridge, state, shown, instructions);
    });
    if (end == RunEnd::kJammed) state.jammed = true;
    if (end == RunEnd::kFrame) {
      state.in_frame = false;
      state.tia.EndFrame(state.cycles);
    }
    state.tia.CatchUp(shown);
    return end;
  }

  void RunFrame() {
    BeginFrame();
    if (Run(Console::kMaxInstructions) == RunEnd::kFrame || state.greyed) return;
    const TiaSetup& setup = state.tia.setup();
    const int scanline = state.tia.Scanline(state.cycles);
    for (int line = std::max(scanline - setup.first_line, 0); line < setup.lines; ++line) {
      for (int x = 0; x < kWidth; ++x) {
        std::uint8_t& pixel = shown.Row(line)[x];
        pixel = static_cast<std::uint8_t>(pixel % 16 / 2);
      }
    }
    state.greyed = true;
  }

  void StepInstruction() {
    BeginFrame();
    Run(1);
  }

  std::shared_ptr<const Cartridge> cartridge;
  ConsoleState state;
  Picture shown;
  Picture other;
};

bool Same(const Picture& a, const Picture& b) { return std::ranges::equal(a.pixels(), b.pixels()); }

bool OneBuffer(const Console& console) {
  return console.picture_bytes() == console.pixels().size();
}

bool WholePicture(const ConsoleState& state) {
  return state.tia.rows_drawn() == state.tia.setup().lines;
}

// The console under test, and a TwoBuffers that gets the same calls.
class Pair {
 public:
  Pair(Mapper mapper, const Bytes& rom, std::uint32_t seed, const TiaSetup& setup = {})
      : random_(seed),
        cartridge_(std::make_shared<const Cartridge>(mapper, rom)),
        console_(cartridge_, setup, random_),
        plain_(cartridge_, console_.state()) {
    Reset();
  }

  void Reset() {
    console_.Reset(random_);
    plain_.Reset(console_.state());
    drawn_ = true;
  }
  void Reset(const TiaSetup& setup) {
    console_.Reset(setup, random_);
    plain_.Reset(console_.state());
    drawn_ = true;
  }
  void SetInputs() { console_.inputs() = plain_.state.inputs = RandomInputs(random_); }
  void SetRam(int address, int value) {
    const auto byte = static_cast<std::uint8_t>(value);
    console_.set_ram(address, byte);
    plain_.state.ram[address & 0x7F] = byte;
  }
  void SetCpu(const CpuState& cpu) {
    console_.set_cpu(cpu);
    plain_.state.cpu = cpu;
  }
  // Some frames are not drawn, and some of those are drawn afterwards.
  void RunFrame() {
    const std::size_t before = console_.picture_bytes();
    drawn_ = unseen_() % 3 != 0;
    console_.DrawFrames(drawn_);
    console_.RunFrame();
    plain_.RunFrame();
    if (!drawn_ && unseen_() % 4 == 0) {
      console_.DrawLatestFrame();
      drawn_ = true;
    }
    ++frames_;
    early_ += plain_.state.in_frame || !WholePicture(plain_.state) ? 1 : 0;
    const std::size_t buffers = console_.picture_bytes();
    const std::size_t one = console_.pixels().size();
    single_ += buffers == one ? 1 : 0;
    partial_ += buffers > one && buffers < 2 * one ? 1 : 0;
    rescued_ += buffers > before ? 1 : 0;
  }
  // Steps until `instructions` are executed or the frame ends.
  void Step(int instructions) {
    for (int i = 0; i < instructions; ++i) {
      plain_.StepInstruction();
      if (console_.StepInstruction()) break;
    }
    drawn_ = drawn_ || instructions > 0;
  }
  void Restore(const ConsoleState& state) {
    console_.Restore(state);
    plain_.state = state;
    drawn_ = true;
  }
  void Restore(const ConsoleState& state, const Picture& picture) {
    console_.Restore(state, picture);
    plain_.state = state;
    drawn_ = true;
    plain_.shown.CopyFrom(picture);
    plain_.other.CopyFrom(picture);
    plain_.other.Swap();
  }

  // Whether both show the same picture, if the latest frame was drawn, and have the same state.
  // With `both_buffers`, also whether a short frame would show the same rows below its end.
  bool Agree(bool both_buffers) const {
    if (drawn_ && !std::ranges::equal(console_.pixels(), plain_.shown.pixels())) return false;
    const ConsoleState& state = console_.state();
    if (state.cycles != plain_.state.cycles || state.cpu.pc != plain_.state.cpu.pc) return false;
    if (!std::equal(state.ram, state.ram + kRamSize, plain_.state.ram)) return false;
    if (!both_buffers) return true;
    Picture picture = console_.picture();
    if (!Same(picture, plain_.shown)) return false;
    picture.Swap();
    return Same(picture, plain_.other);
  }

  const Console& console() const { return console_; }
  std::mt19937& random() { return random_; }
  int frames() const { return frames_; }
  int early() const { return early_; }
  int single() const { return single_; }
  int partial() const { return partial_; }
  int rescued() const { return rescued_; }

 private:
  std::mt19937 random_;
  std::shared_ptr<const Cartridge> cartridge_;
  Console console_;
  TwoBuffers plain_;
  std::mt19937 unseen_{5};
  bool drawn_ = true;
  int frames_ = 0;
  int early_ = 0;    // frames that ended before the picture was complete
  int single_ = 0;   // frames after which there was one buffer
  int partial_ = 0;  // frames after which there was one and a part of another
  int rescued_ = 0;  // frames that needed more of the second buffer than existed
};

// Draws frames of RAM[0x90] + RAM[0x91] lines (0 means 256), each line in another color. While
// RAM[0x92] is not 0, the frame does not end.
Bytes LinesRom() {
  return Rom({0xA9, 0x02,              // F000 LDA #2
              0x85, 0x00,              //      STA VSYNC
              0x85, 0x02, 0x85, 0x02,  //      STA WSYNC, three times
              0x85, 0x02,              //
              0xA9, 0x00,              //      LDA #0
              0x85, 0x00,              //      STA VSYNC
              0xE6, 0x80,              // F00E INC $80
              0xA5, 0x80,              //      LDA $80
              0xA6, 0x90,              //      LDX $90
              0x85, 0x02,              // F014 STA WSYNC
              0x69, 0x13,              //      ADC #$13
              0x85, 0x09,              //      STA COLUBK
              0x85, 0x0F,              //      STA PF2
              0xCA,                    //      DEX
              0xD0, 0xF5,              //      BNE F014
              0xA6, 0x91,              //      LDX $91
              0x85, 0x02,              // F021 STA WSYNC
              0x69, 0x27,              //      ADC #$27
              0x85, 0x08,              //      STA COLUPF
              0x85, 0x0E,              //      STA PF1
              0xCA,                    //      DEX
              0xD0, 0xF5,              //      BNE F021
              0xA5, 0x92,              // F02C LDA $92
              0xD0, 0xFC,              //      BNE F02C
              0x4C, 0x00, 0xF0});      //      JMP F000
}

// Sets the length of the next frame: 260 lines if `whole`, or any number of lines.
void SetLines(Pair& pair, bool whole) {
  std::mt19937& random = pair.random();
  pair.SetRam(0x90, whole ? 130 : 1 + static_cast<int>(random() % 200));
  pair.SetRam(0x91, whole ? 130 : 1 + static_cast<int>(random() % 90));
}

// Runs of frames of a minimum length, which may be shorter than the picture, followed by a few
// frames of any length.
TEST(OneBuffer, FramesOfAnyLength) {
  int rescued = 0;
  int partial = 0;
  int single = 0;
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    Pair pair(Mapper::k4K, LinesRom(), seed);
    std::mt19937& random = pair.random();
    pair.SetRam(0x92, 0);
    bool agree = true;
    for (int turn = 0; turn < 20 && agree; ++turn) {
      const int least = turn % 2 == 0 ? 250 : 40 + static_cast<int>(random() % 210);
      const int regular = static_cast<int>(random() % 3 == 0 ? random() % 5 : random() % 200);
      const int others = 1 + static_cast<int>(random() % 3);
      for (int frame = 0; frame < regular + others && agree; ++frame) {
        SetLines(pair, false);
        if (frame < regular) {
          pair.SetRam(0x90, least / 2 + static_cast<int>(random() % 4));
          pair.SetRam(0x91, least / 2 + static_cast<int>(random() % 4));
        }
        pair.RunFrame();
        agree = pair.Agree(random() % 8 == 0);
      }
    }
    EXPECT_TRUE(agree) << "seed " << seed << " frame " << pair.frames();
    EXPECT_GT(pair.early(), pair.frames() / 20);
    rescued += pair.rescued();
    partial += pair.partial();
    single += pair.single();
  }
  EXPECT_GT(rescued, 100);
  EXPECT_GT(partial, 2000);
  EXPECT_GT(single, 2000);
}

// The first frames after a reset, when the buffers are blank. The first frame ends with the
// program's first VSYNC. The first two frames need no second buffer.
TEST(OneBuffer, ShortFramesSoonAfterAReset) {
  for (int whole = 0; whole < 4; ++whole) {
    Pair pair(Mapper::k4K, LinesRom(), 5);
    for (int turn = 0; turn < 6; ++turn) {
      pair.SetRam(0x92, 0);
      for (int frame = 0; frame < whole + 4; ++frame) {
        SetLines(pair, frame <= whole);
        pair.RunFrame();
        EXPECT_EQ(OneBuffer(pair.console()), frame <= std::max(whole, 1));
        EXPECT_TRUE(pair.Agree(turn % 2 == 0)) << whole << " whole frames, frame " << frame;
      }
      pair.Reset();
      EXPECT_TRUE(pair.Agree(true));
      EXPECT_TRUE(OneBuffer(pair.console()));
    }
  }
}

// Applies every operation of a console in a random order.
void LiveThrough(Pair& pair, int turns, bool lines, const std::string& what) {
  std::mt19937& random = pair.random();
  ConsoleState state = pair.console().state();
  Picture picture = pair.console().picture();
  for (int turn = 0; turn < turns; ++turn) {
    const unsigned action = random() % 16;
    if (action == 0) {
      pair.Reset();
    } else if (action <= 2) {
      for (unsigned steps = random() % 4; steps > 0; --steps) {
        pair.Step(static_cast<int>(random() % 3 == 0 ? 1 + random() % 3 : random() % 4000));
      }
    } else if (action <= 4) {
      state = pair.console().state();
      picture = pair.console().picture();
    } else if (action <= 7) {
      pair.Restore(state);
    } else if (action == 8) {
      pair.Restore(state, picture);
    } else if (action == 9 && !lines) {
      pair.SetCpu({.pc = static_cast<std::uint16_t>(0xF000 + random() % 4096),
                   .a = static_cast<std::uint8_t>(random())});
    } else if (action == 10 && !lines) {
      for (int i = 0; i < 8; ++i) {
        pair.SetRam(static_cast<int>(random()), static_cast<int>(random()));
      }
    }
    const int frames = static_cast<int>(random() % 3 == 0 ? random() % 90 : random() % 6);
    const bool short_ones = random() % 3 == 0;
    for (int frame = 0; frame < frames; ++frame) {
      if (random() % 4 == 0) pair.SetInputs();
      if (lines) {
        SetLines(pair, !short_ones && random() % 30 != 0);
        if (short_ones && random() % 30 != 0) pair.SetRam(0x90, 140);
        pair.SetRam(0x92, random() % 40 == 0 ? 1 : 0);
      }
      pair.RunFrame();
      if (pair.console().jammed() && random() % 2 == 0) pair.Reset();
      if (!pair.Agree(false)) break;
    }
    const bool agree = pair.Agree(true);
    EXPECT_TRUE(agree) << what << ", turn " << turn << ", frame " << pair.frames();
    if (!agree) return;
  }
}

TEST(OneBuffer, AnythingDoneToALineProgram) {
  int rescued = 0;
  int partial = 0;
  int single = 0;
  for (std::uint32_t seed = 100; seed < 120; ++seed) {
    TiaSetup setup;
    if (seed % 4 == 1) setup = {.first_line = 30, .lines = 250, .max_lines = 342};
    if (seed % 4 == 2) setup = {.first_line = 0, .lines = 40, .max_lines = 290};
    Pair pair(Mapper::k4K, LinesRom(), seed, setup);
    LiveThrough(pair, 100, true, "seed " + std::to_string(seed));
    rescued += pair.rescued();
    partial += pair.partial();
    single += pair.single();
  }
  EXPECT_GT(rescued, 100);
  EXPECT_GT(partial, 200);
  EXPECT_GT(single, 1000);
}

// A whole frame of single steps after any number of frames, then short frames.
TEST(OneBuffer, AFrameStepByStep) {
  for (int before = 0; before < 70; ++before) {
    Pair pair(Mapper::k4K, LinesRom(), 12);
    pair.SetRam(0x92, 0);
    SetLines(pair, true);
    for (int frame = 0; frame < before; ++frame) pair.RunFrame();
    pair.SetRam(0x90, 20 + before);
    pair.Step(Console::kMaxInstructions);
    EXPECT_FALSE(pair.console().state().in_frame);
    for (int frame = 0; frame < 4; ++frame) {
      EXPECT_TRUE(pair.Agree(true)) << before << " frames before, frame " << frame;
      SetLines(pair, frame == 0);
      pair.RunFrame();
    }
  }
}

// A console that has one buffer restores a state in the middle of a frame and continues from there.
TEST(OneBuffer, AStateWithinAFrameIsRestored) {
  Pair pair(Mapper::k4K, LinesRom(), 13);
  pair.SetRam(0x92, 0);
  SetLines(pair, true);
  pair.RunFrame();
  for (const int steps : {20, 300, 1000}) {
    pair.Step(steps);
    const ConsoleState state = pair.console().state();
    EXPECT_TRUE(state.in_frame);
    for (int frame = 0; frame < 70; ++frame) pair.RunFrame();
    EXPECT_TRUE(OneBuffer(pair.console()));
    pair.Restore(state);
    for (int frame = 0; frame < 4; ++frame) {
      pair.RunFrame();
      EXPECT_TRUE(pair.Agree(true)) << steps << " steps, frame " << frame;
    }
  }
}

// If a program's frames never draw the lowest rows, only these rows have a second buffer.
TEST(OneBuffer, RowsThatAreNeverDrawn) {
  Pair pair(Mapper::k4K, LinesRom(), 11);
  pair.SetRam(0x92, 0);
  for (int frame = 0; frame < 200; ++frame) {
    pair.SetRam(0x90, 120);
    pair.SetRam(0x91, frame % 2 == 0 ? 118 : 110);
    pair.RunFrame();
    EXPECT_TRUE(pair.Agree(true)) << frame;
  }
  const Console& console = pair.console();
  EXPECT_GT(console.picture_bytes(), console.pixels().size());
  EXPECT_LT(console.picture_bytes(), console.pixels().size() + 16 * kWidth);
}

// Random programs end frames at random. With a small limit of lines, many of their frames are
// whole.
TEST(OneBuffer, RandomProgramsOfEveryMapper) {
  std::mt19937 random(31);
  int rescued = 0;
  int single = 0;
  int frames = 0;
  for (const Mapper mapper : kAllMappers) {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      TiaSetup setup;
      if (seed % 3 == 1) setup = {.first_line = 2, .lines = 12, .max_lines = 16};
      if (seed % 3 == 2) setup = {.first_line = 0, .lines = 20, .max_lines = 18};
      Pair pair(mapper, LivelyRom(mapper, random), seed, setup);
      LiveThrough(pair, 20, false,
                  std::string(MapperName(mapper)) + " seed " + std::to_string(seed));
      rescued += pair.rescued();
      single += pair.single();
      frames += pair.frames();
    }
  }
  EXPECT_GT(rescued, 100);
  EXPECT_GT(single, frames / 20);
  EXPECT_LT(single, frames);
}

TEST(OneBuffer, AResetWithOtherLines) {
  Pair pair(Mapper::k4K, LinesRom(), 7);
  for (const int lines : {210, 250, 10, 250}) {
    pair.Reset({.first_line = 34, .lines = lines});
    pair.SetRam(0x92, 0);
    for (int frame = 0; frame < 60; ++frame) {
      SetLines(pair, frame % 50 != 49);
      pair.RunFrame();
      EXPECT_TRUE(pair.Agree(true)) << lines << " lines, frame " << frame;
    }
  }
}

// The copy for a snapshot has both buffers. Making it does not change the console.
TEST(OneBuffer, ACopyOfThePictureHasBoth) {
  std::mt19937 random(8);
  const auto console = ConsoleWith(Mapper::k4K, DrawingRom(), random);
  for (int frame = 0; frame < 5; ++frame) console->RunFrame();
  const Bytes before(console->pixels().begin(), console->pixels().end());
  console->RunFrame();
  Picture picture = console->picture();
  EXPECT_TRUE(OneBuffer(*console));
  EXPECT_EQ(picture.bytes(), 2 * picture.size());
  EXPECT_TRUE(std::ranges::equal(picture.pixels(), console->pixels()));
  picture.Swap();
  EXPECT_TRUE(std::ranges::equal(picture.pixels(), before));
}

// A console with its picture takes less than 44 KB. Over any number of whole frames it keeps one
// buffer, at the same address.
TEST(OneBuffer, AConsoleIsSmall) {
  EXPECT_LT(sizeof(Console) + 250 * kWidth, 44'000);
  std::mt19937 random(9);
  const auto console = ConsoleWith(Mapper::k4K, DrawingRom(), random);
  const std::uint8_t* const pixels = console->pixels().data();
  for (int frame = 0; frame < 500; ++frame) {
    console->RunFrame();
    EXPECT_TRUE(OneBuffer(*console));
    EXPECT_EQ(console->pixels().data(), pixels);
  }
}

// A single short frame gives the console a second buffer for 32 frames.
TEST(OneBuffer, TheSecondBufferGoesAgain) {
  Pair pair(Mapper::k4K, LinesRom(), 10);
  pair.SetRam(0x92, 0);
  for (int turn = 0; turn < 3; ++turn) {
    for (int frame = 0; frame < 150; ++frame) {
      SetLines(pair, true);
      if (frame == 20) pair.SetRam(0x90, 10);
      pair.RunFrame();
      EXPECT_EQ(OneBuffer(pair.console()), frame < 20 || frame >= 20 + 32) << frame;
      EXPECT_TRUE(pair.Agree(true));
    }
  }
}

}  // namespace picture_test
}  // namespace engine::atari2600::testing
