// The pictures of the previous step, drawn again, equal the original ones for any program, also
// after later frames.
#include "engine/envs/atari/last_frames.h"

#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "tests/engine/emulators/atari2600/programs.h"
#include "tests/engine/harness.h"

namespace engine::atari::testing {
namespace last_frames_test {

using atari2600::Cartridge;
using atari2600::Console;
using atari2600::kAllMappers;
using atari2600::Mapper;
using atari2600::MapperName;
using atari2600::testing::Bytes;
using atari2600::testing::ConsoleWith;
using atari2600::testing::DrawingRom;
using atari2600::testing::LivelyRom;
using atari2600::testing::RandomInputs;

Bytes PictureOf(const Console& console) {
  return Bytes(console.pixels().begin(), console.pixels().end());
}

// Runs a step of four frames and draws the last two. Returns their pictures.
std::pair<Bytes, Bytes> Step(Console& console, LastFrames& last, std::mt19937& random) {
  console.DrawFrames(false);
  for (int frame = 0; frame < 2; ++frame) {
    console.inputs() = RandomInputs(random);
    console.RunFrame();
  }
  console.DrawFrames(true);
  last.Before(console);
  console.inputs() = RandomInputs(random);
  console.RunFrame();
  last.AfterFirst(console);
  Bytes first = PictureOf(console);
  console.inputs() = RandomInputs(random);
  console.RunFrame();
  last.AfterSecond(console);
  return {std::move(first), PictureOf(console)};
}

// Returns the number of steps that were drawn again.
int PlayAndDraw(Mapper mapper, const Bytes& rom, std::mt19937& random) {
  const auto cartridge = std::make_shared<const Cartridge>(mapper, rom);
  Console console(cartridge, {}, random);
  console.Reset(random);
  for (int frame = 0; frame < 3; ++frame) console.RunFrame();
  LastFrames last;
  std::pair<Bytes, Bytes> before;
  int drawn = 0;
  for (int step = 0; step < 25 && !console.jammed(); ++step) {
    EXPECT_EQ(last.BeginStep(), step > 0);
    std::pair<Bytes, Bytes> now = Step(console, last, random);
    if (console.jammed()) break;
    if (step > 0) {
      Bytes first(console.pixels().size());
      Bytes second(console.pixels().size());
      last.Draw(cartridge, first.data(), second.data());
      EXPECT_TRUE(first == before.first) << MapperName(mapper) << " step " << step;
      EXPECT_TRUE(second == before.second) << MapperName(mapper) << " step " << step;
      ++drawn;
    }
    before = std::move(now);
  }
  return drawn;
}

TEST(LastFrames, OfProgramsThatDrawWholeFrames) {
  std::mt19937 random(31);
  EXPECT_EQ(PlayAndDraw(Mapper::k4K, DrawingRom(), random), 24);
}

// Frames that end early, late or never.
TEST(LastFrames, OfRandomPrograms) {
  std::mt19937 random(32);
  int drawn = 0;
  for (const Mapper mapper : kAllMappers) {
    for (int i = 0; i < 8; ++i) drawn += PlayAndDraw(mapper, LivelyRom(mapper, random), random);
  }
  EXPECT_GT(drawn, 500);
}

TEST(LastFrames, AResetForgetsThem) {
  std::mt19937 random(33);
  const auto console = ConsoleWith(Mapper::k4K, DrawingRom(), random);
  LastFrames last;
  EXPECT_FALSE(last.BeginStep());
  Step(*console, last, random);
  last.Forget();
  EXPECT_FALSE(last.BeginStep());
  EXPECT_FALSE(last.BeginStep());  // no step has ended since the last BeginStep()
  Step(*console, last, random);
  EXPECT_TRUE(last.BeginStep());
}

}  // namespace last_frames_test
}  // namespace engine::atari::testing
