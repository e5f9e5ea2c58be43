// A console that is restored from a snapshot continues exactly as the original.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/emulators/atari2600/console.h"
#include "tests/engine/emulators/atari2600/programs.h"
#include "tests/engine/harness.h"

namespace engine::atari2600::testing {
namespace snapshot_test {

static_assert(std::is_trivially_copyable_v<ConsoleState>);

// All observable state of a console, with or without the picture and whether it lost its color.
Bytes Seen(const Console& console, bool picture = true) {
  const ConsoleState& state = console.state();
  Bytes seen;
  if (picture) {
    seen.assign(console.pixels().begin(), console.pixels().end());
    seen.push_back(state.greyed ? 1 : 0);
  }
  const auto add = [&seen](std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      seen.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  };
  for (const int value : {int{state.cpu.pc}, int{state.cpu.a}, int{state.cpu.x}, int{state.cpu.y},
                          int{state.cpu.sp}, int{state.cpu.status}, int{state.in_frame},
                          int{state.jammed}, int{state.tia.collisions()}}) {
    add(value);
  }
  add(state.cycles);
  add(console.scanline());
  Riot riot = state.riot;  // reading the timer changes it
  add(riot.Read(0x285, state.cycles, {}));
  add(riot.Read(0x284, state.cycles, {}));
  seen.insert(seen.end(), console.ram(), console.ram() + kRamSize);
  seen.insert(seen.end(), console.cartridge_ram(), console.cartridge_ram() + 128);
  for (int address = 0x1000; address < 0x2000; address += 16) seen.push_back(console.Peek(address));
  return seen;
}

// The observable state after each of the next frames, played with inputs from `seed`.
std::vector<Bytes> Play(Console& console, int frames, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Bytes> seen;
  for (int frame = 0; frame < frames; ++frame) {
    console.inputs() = RandomInputs(random);
    console.RunFrame();
    seen.push_back(Seen(console));
  }
  return seen;
}

// The index of the first frame in which two recordings differ, or -1.
int FirstDifference(const std::vector<Bytes>& a, const std::vector<Bytes>& b) {
  const auto [at, there] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return at == a.end() && there == b.end() ? -1 : static_cast<int>(at - a.begin());
}

struct Saved {
  explicit Saved(const Console& console) : state(console.state()), picture(console.lines()) {
    picture.CopyFrom(console.picture());
  }

  ConsoleState state;
  Picture picture;
};

// For random programs of every mapper: the console repeats the same frames after a restore, and so
// does another console that ran other frames before.
TEST(Snapshot, RandomProgramsGoOnBitByBit) {
  std::mt19937 random(21);
  for (const Mapper mapper : kAllMappers) {
    for (int seed = 0; seed < 6; ++seed) {
      const auto cartridge = std::make_shared<const Cartridge>(mapper, LivelyRom(mapper, random));
      Console console(cartridge, {}, random);
      console.Reset(random);
      Play(console, 7, 1);
      const Saved saved(console);
      const std::vector<Bytes> first = Play(console, 9, 2);
      console.Restore(saved.state, saved.picture);
      EXPECT_EQ(FirstDifference(Play(console, 9, 2), first), -1)
          << MapperName(mapper) << " " << seed;

      Console other(cartridge, {}, random);
      other.Reset(random);
      Play(other, 3, 3);
      other.Restore(saved.state, saved.picture);
      EXPECT_EQ(FirstDifference(Play(other, 9, 2), first), -1) << MapperName(mapper) << " " << seed;
    }
  }
}

// Snapshots between any two instructions of a frame.
TEST(Snapshot, WithinAFrame) {
  std::mt19937 random(22);
  for (int seed = 0; seed < 40; ++seed) {
    const auto console = seed % 2 == 0
                             ? ConsoleWith(Mapper::k4K, DrawingRom(), random)
                             : ConsoleWith(Mapper::kF8, LivelyRom(Mapper::kF8, random), random);
    Play(*console, 2, 1);
    for (int i = static_cast<int>(random() % 2000); i > 0; --i) console->StepInstruction();
    const Saved saved(*console);
    const std::vector<Bytes> first = Play(*console, 4, 2);
    console->Restore(saved.state, saved.picture);
    EXPECT_EQ(FirstDifference(Play(*console, 4, 2), first), -1) << seed;
  }
}

// Single instructions take another path through the interpreter than whole frames and must have the
// same effect. Only a whole frame that does not end loses its color. Returns the number of frames
// that ended.
int CompareWithInstructions(Console& console, int frames, std::mt19937& random,
                            const std::string& what) {
  int ended = 0;
  for (int frame = 0; frame < frames && !console.jammed(); ++frame) {
    console.inputs() = RandomInputs(random);
    const Saved saved(console);
    for (int i = 0; i < Console::kMaxInstructions; ++i) {
      if (console.StepInstruction() || console.jammed()) break;
    }
    const bool whole = !console.state().in_frame;
    ended += whole ? 1 : 0;
    const Bytes stepped = Seen(console, whole);
    console.Restore(saved.state, saved.picture);
    console.RunFrame();
    EXPECT_EQ(console.state().in_frame, !whole);
    EXPECT_TRUE(Seen(console, whole) == stepped) << what << " frame " << frame;
  }
  return ended;
}

TEST(Snapshot, InstructionsAddUpToFrames) {
  std::mt19937 random(23);
  int ended = 0;
  for (const Mapper mapper : kAllMappers) {
    for (int seed = 0; seed < 16; ++seed) {
      const auto console = ConsoleWith(mapper, LivelyRom(mapper, random), random);
      ended += CompareWithInstructions(
          *console, 6, random, std::string(MapperName(mapper)) + " " + std::to_string(seed));
    }
  }
  EXPECT_GT(ended, 100);
}

// The same for programs in which the interpreter runs most instructions together with the following
// ones, from a random address of the program.
TEST(Snapshot, RowsOfInstructionsAddUpToFrames) {
  std::mt19937 random(25);
  for (const Mapper mapper : kAllMappers) {
    for (int seed = 0; seed < 12; ++seed) {
      const auto console = ConsoleWith(mapper, BusyRom(mapper, random), random);
      for (int start = 0; start < 30; ++start) {
        CpuState cpu = console->state().cpu;
        cpu.pc = static_cast<std::uint16_t>(0xF000 + random() % 0x0F00);
        console->set_cpu(cpu);
        CompareWithInstructions(*console, 1, random,
                                std::string(MapperName(mapper)) + " " + std::to_string(seed));
      }
    }
  }
}

// A console made from a state shows the same once it has drawn both buffers.
TEST(Snapshot, AConsoleFromAStateAlone) {
  std::mt19937 random(24);
  const auto console = ConsoleWith(Mapper::k4K, DrawingRom(), random);
  Play(*console, 5, 1);
  const auto cartridge = std::make_shared<const Cartridge>(Mapper::k4K, DrawingRom());
  Console copy(cartridge, console->state());
  EXPECT_EQ(FirstDifference(Play(copy, 6, 2), Play(*console, 6, 2)), -1);
}

// The size of the state that a snapshot copies besides the picture.
TEST(Snapshot, AStateIsSmall) { EXPECT_LE(sizeof(ConsoleState), 1024); }

}  // namespace snapshot_test
}  // namespace engine::atari2600::testing
